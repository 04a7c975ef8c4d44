; The second register is loaded without a mask, though none of its lanes is true.
define <16 x i32> @register_without_lanes(ptr %p, i1 %c) {
  %lane = insertelement <16 x i1> poison, i1 %c, i64 0
  %lanes = shufflevector <16 x i1> %lane, <16 x i1> poison, <16 x i32> zeroinitializer
  %mask = and <16 x i1> %lanes, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>
  %v = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %mask, <16 x i32> zeroinitializer)
  ret <16 x i32> %v
}
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
