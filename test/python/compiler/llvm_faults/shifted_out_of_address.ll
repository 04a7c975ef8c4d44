; The indices are 0 where their lanes are read. A shift by 62 and a scale of 4 leave no scale.
define <8 x i32> @gathers(ptr %p, <8 x i64> %x) {
  %index = shl <8 x i64> %x, splat (i64 62)
  %address = getelementptr i32, ptr %p, <8 x i64> %index
  %mask = icmp eq <8 x i64> %index, zeroinitializer
  %lanes = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %address, <8 x i1> %mask, <8 x i32> zeroinitializer)
  ret <8 x i32> %lanes
}
declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, <8 x i1>, <8 x i32>)
