; The upper half of a product by 1 is zero. What is stored here is anything, so nothing is stored. The ones are in a load
; that reads nothing, because a product by plain ones is simplified before it is one.
define void @upper_half_of_product(ptr %q, <16 x i32> %y, ptr %p) {
  %ones = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %q, <16 x i1> zeroinitializer, <16 x i32> splat (i32 1))
  %a = zext <16 x i32> %ones to <16 x i64>
  %b = zext <16 x i32> %y to <16 x i64>
  %product = mul <16 x i64> %a, %b
  %half = lshr <16 x i64> %product, splat (i64 32)
  %upper = trunc <16 x i64> %half to <16 x i32>
  store <16 x i32> %upper, ptr %p, align 4
  ret void
}
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
