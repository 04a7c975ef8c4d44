// RUN: blockdsl-opt %s -verify-no-heap -split-input-file -verify-diagnostics

// Allowed: LLVM ops, and calls of libm and of the runtime.
llvm.func @j0f(f32) -> f32
llvm.func @fine(%x: f32, %p: !llvm.ptr) {
  %y = llvm.call @j0f(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @allocates(%n: i64) {
  // expected-error @below {{'llvm.call' op calls 'malloc', but kernels do not use the heap}}
  %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @memrefCopy(i64, !llvm.ptr, !llvm.ptr)
llvm.func @copies(%n: i64, %p: !llvm.ptr) {
  // expected-error @below {{'llvm.call' op calls 'memrefCopy', but kernels do not use the heap}}
  llvm.call @memrefCopy(%n, %p, %p) : (i64, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @left(%n: i64) {
  // expected-error @below {{'arith.addi' op is left at the end of the CPU pipeline: no pass lowers it in this form}}
  %m = arith.addi %n, %n : i64
  llvm.return
}
