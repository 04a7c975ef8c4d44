; Of NaN the inner choice gives NaN, and the outer one 0. One of them is left, the inner one.
define void @bounded_twice(ptr %x, ptr %p) {
  %v = load <8 x float>, ptr %x, align 4
  %below = fcmp olt <8 x float> %v, zeroinitializer
  %inner = select <8 x i1> %below, <8 x float> zeroinitializer, <8 x float> %v
  %above = fcmp ogt <8 x float> %inner, zeroinitializer
  %outer = select <8 x i1> %above, <8 x float> %inner, <8 x float> zeroinitializer
  store <8 x float> %outer, ptr %p, align 4
  ret void
}
