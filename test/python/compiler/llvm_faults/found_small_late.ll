; A sum of eight numbers that no longer look as small as they are once the instruction selection is through with types.
define i32 @sum(ptr %p, <8 x i1> %mask) {
  %loaded = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %p, <8 x i1> %mask, <8 x i32> zeroinitializer)
  %small = and <8 x i32> %loaded, splat (i32 7)
  %product = mul <8 x i32> %small, splat (i32 3)
  %sum = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %product)
  ret i32 %sum
}
