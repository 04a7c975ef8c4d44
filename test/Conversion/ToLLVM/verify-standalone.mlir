// RUN: blockdsl-opt %s -verify-standalone -split-input-file -verify-diagnostics

// Allowed: assertions, polls for interruption, libm.
llvm.func @blockdsl_assert_failed(!llvm.ptr, !llvm.ptr, i32, i32, i32)
llvm.func @blockdsl_should_stop(!llvm.ptr) -> i32
llvm.func @j0f(f32) -> f32
llvm.func @fine(%context: !llvm.ptr, %x: f32, %id: i32) {
  %stops = llvm.call @blockdsl_should_stop(%context) : (!llvm.ptr) -> i32
  llvm.call @blockdsl_assert_failed(%context, %context, %id, %id, %id) : (!llvm.ptr, !llvm.ptr, i32, i32, i32) -> ()
  %y = llvm.call @j0f(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @blockdsl_print(!llvm.ptr)
llvm.func @prints(%context: !llvm.ptr) {
  // expected-error @below {{'device_print' needs the runtime, which an object file does without}}
  llvm.call @blockdsl_print(%context) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @blockdsl_wait(!llvm.ptr) -> i32
llvm.func @waits(%context: !llvm.ptr) {
  // expected-error @below {{a loop that waits for another program needs the runtime, which an object file does without}}
  %stops = llvm.call @blockdsl_wait(%context) : (!llvm.ptr) -> i32
  llvm.return
}

// -----

llvm.func @blockdsl_nanoseconds() -> i64
llvm.func @blockdsl_processor() -> i32
llvm.func @asks() {
  // expected-error @below {{reading the clock needs the runtime, which an object file does without}}
  %now = llvm.call @blockdsl_nanoseconds() : () -> i64
  // expected-error @below {{asking for the processor's number needs the runtime, which an object file does without}}
  %here = llvm.call @blockdsl_processor() : () -> i32
  llvm.return
}
