; SROA merges both stores where the one to the higher address stands, before %low is loaded.
define <8 x i32> @written_backwards(<4 x i32> %high, ptr %p) {
  %buffer = alloca [8 x i32], align 64
  %upper = getelementptr i8, ptr %buffer, i64 16
  store <4 x i32> %high, ptr %upper, align 4
  %low = load <4 x i32>, ptr %p, align 4
  store <4 x i32> %low, ptr %buffer, align 4
  %all = load <8 x i32>, ptr %buffer, align 4
  ret <8 x i32> %all
}
