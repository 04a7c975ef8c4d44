; The bits are in a register that `vmovmskps` cannot name: the sixteen before it are taken.
define void @asked(ptr %p, <2 x ptr> %to) {
  %v0 = load volatile <4 x i32>, ptr %p, align 16
  %v1 = load volatile <4 x i32>, ptr %p, align 16
  %v2 = load volatile <4 x i32>, ptr %p, align 16
  %v3 = load volatile <4 x i32>, ptr %p, align 16
  %v4 = load volatile <4 x i32>, ptr %p, align 16
  %v5 = load volatile <4 x i32>, ptr %p, align 16
  %v6 = load volatile <4 x i32>, ptr %p, align 16
  %v7 = load volatile <4 x i32>, ptr %p, align 16
  %v8 = load volatile <4 x i32>, ptr %p, align 16
  %v9 = load volatile <4 x i32>, ptr %p, align 16
  %v10 = load volatile <4 x i32>, ptr %p, align 16
  %v11 = load volatile <4 x i32>, ptr %p, align 16
  %v12 = load volatile <4 x i32>, ptr %p, align 16
  %v13 = load volatile <4 x i32>, ptr %p, align 16
  %v14 = load volatile <4 x i32>, ptr %p, align 16
  %v15 = load volatile <4 x i32>, ptr %p, align 16
  %v = load volatile <2 x i32>, ptr %p, align 16
  %lowest = trunc <2 x i32> %v to <2 x i1>
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> %v, <2 x ptr> align 4 %to, <2 x i1> %lowest)
  store volatile <4 x i32> %v0, ptr %p, align 16
  store volatile <4 x i32> %v1, ptr %p, align 16
  store volatile <4 x i32> %v2, ptr %p, align 16
  store volatile <4 x i32> %v3, ptr %p, align 16
  store volatile <4 x i32> %v4, ptr %p, align 16
  store volatile <4 x i32> %v5, ptr %p, align 16
  store volatile <4 x i32> %v6, ptr %p, align 16
  store volatile <4 x i32> %v7, ptr %p, align 16
  store volatile <4 x i32> %v8, ptr %p, align 16
  store volatile <4 x i32> %v9, ptr %p, align 16
  store volatile <4 x i32> %v10, ptr %p, align 16
  store volatile <4 x i32> %v11, ptr %p, align 16
  store volatile <4 x i32> %v12, ptr %p, align 16
  store volatile <4 x i32> %v13, ptr %p, align 16
  store volatile <4 x i32> %v14, ptr %p, align 16
  store volatile <4 x i32> %v15, ptr %p, align 16
  ret void
}
