// RUN: blockdsl-opt %s -split-input-file -triton-loop-unroll -verify-diagnostics

tt.func @no_turn_in_one(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op expects tt.loop_unroll_factor to be a positive number}}
  scf.for %i = %c1 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return
}

// -----

tt.func @factor_that_is_no_number(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op expects tt.loop_unroll_factor to be a positive number}}
  scf.for %i = %c1 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = "many"}
  tt.return
}
