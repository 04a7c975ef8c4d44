; Two products in a matrix unit, one after the other: the first has all eight registers as tiles of 16 rows of 64 bytes,
; the second wants some of 32 bytes, and some of 8 rows.
define void @twice(ptr %p) {
  %a0 = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr %p, i64 64)
  %a1 = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr %p, i64 128)
  %b0 = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr %p, i64 192)
  %b1 = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr %p, i64 256)
  %z0 = call x86_amx @llvm.x86.tilezero.internal(i16 16, i16 64)
  %z1 = call x86_amx @llvm.x86.tilezero.internal(i16 16, i16 64)
  %z2 = call x86_amx @llvm.x86.tilezero.internal(i16 16, i16 64)
  %z3 = call x86_amx @llvm.x86.tilezero.internal(i16 16, i16 64)
  %c0 = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 64, x86_amx %z0, x86_amx %a0, x86_amx %b0)
  %c1 = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 64, x86_amx %z1, x86_amx %a0, x86_amx %b1)
  %c2 = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 64, x86_amx %z2, x86_amx %a1, x86_amx %b0)
  %c3 = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 64, x86_amx %z3, x86_amx %a1, x86_amx %b1)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %p, i64 64, x86_amx %c0)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %p, i64 128, x86_amx %c1)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %p, i64 192, x86_amx %c2)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %p, i64 256, x86_amx %c3)
  %l = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 32, ptr %p, i64 64)
  %r = call x86_amx @llvm.x86.tileloadd64.internal(i16 8, i16 64, ptr %p, i64 64)
  %z = call x86_amx @llvm.x86.tilezero.internal(i16 16, i16 64)
  %c = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 32, x86_amx %z, x86_amx %l, x86_amx %r)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %p, i64 64, x86_amx %c)
  ret void
}

declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)
declare x86_amx @llvm.x86.tdpbssd.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
