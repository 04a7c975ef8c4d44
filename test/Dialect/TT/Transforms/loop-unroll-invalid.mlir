// RUN: blockdsl-opt %s -split-input-file -triton-loop-unroll -verify-diagnostics

tt.func @factor_that_is_no_number(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op expects tt.loop_unroll_factor to be a number}}
  scf.for %i = %c1 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = "many"}
  tt.return
}
