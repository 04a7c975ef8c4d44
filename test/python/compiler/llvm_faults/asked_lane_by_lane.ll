; The bytes have no instruction that scatters them; the words have one, whose mask is set by nothing.
define void @scatters(ptr %v, ptr %m, ptr %p, ptr %q) {
  %a = load <16 x i32>, ptr %v, align 4
  %b = load <16 x i8>, ptr %m, align 1
  %t = trunc <16 x i8> %b to <16 x i1>
  %pp = getelementptr i8, ptr %p, <16 x i64> <i64 0, i64 12, i64 24, i64 36, i64 48, i64 60, i64 72, i64 84, i64 96, i64 108, i64 120, i64 132, i64 144, i64 156, i64 168, i64 180>
  call void @llvm.masked.scatter.v16i32.v16p0(<16 x i32> %a, <16 x ptr> align 4 %pp, <16 x i1> %t)
  %e = zext <16 x i1> %t to <16 x i8>
  %qq = getelementptr i8, ptr %q, <16 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %e, <16 x ptr> align 1 %qq, <16 x i1> %t)
  ret void
}
