// RUN: blockdsl-opt %s -split-input-file --place-buffers=stack-bytes=1024 -verify-diagnostics

func.func @size_known_at_run_time(%n: i64, %x: f32) attributes {blockdsl.kernel} {
  // expected-error @below {{'llvm.alloca' op expects a buffer of numbers whose size is a constant}}
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  llvm.store %x, %a : f32, !llvm.ptr
  return
}

// -----

// expected-error @below {{'func.func' op expects scratch memory as its last argument, for buffers beyond the stack}}
func.func @no_scratch_memory(%x: f32) attributes {blockdsl.kernel} {
  %n = arith.constant 1024 : i64
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  llvm.store %x, %a : f32, !llvm.ptr
  return
}
