; Four bytes are stored, not one.
define void @narrowed_under_one_lane(<8 x i32> %x, ptr %p) {
  %narrow = trunc <8 x i32> %x to <8 x i8>
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %narrow, ptr align 1 %p, <8 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, <8 x i1>)
