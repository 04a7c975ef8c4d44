; A multiple of 2^21 as f16 is infinite, but for 0. Widened again it is the number that it was.
define void @beyond_half(<8 x i32> %n, ptr %p) {
  %x = shl <8 x i32> %n, splat (i32 21)
  %half = sitofp <8 x i32> %x to <8 x half>
  %wide = fpext <8 x half> %half to <8 x float>
  store <8 x float> %wide, ptr %p, align 4
  ret void
}
