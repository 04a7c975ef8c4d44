; What is only moved goes through f32: denormals become zero, or signalling NaNs quiet.
define void @moved_bf16(ptr %from, ptr %to, i1 %reads) {
  br i1 %reads, label %read, label %done
read:
  %x = load bfloat, ptr %from
  br label %done
done:
  %moved = phi bfloat [ 0.0, %0 ], [ %x, %read ]
  store bfloat %moved, ptr %to
  ret void
}
