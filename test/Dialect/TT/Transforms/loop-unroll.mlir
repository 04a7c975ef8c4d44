// RUN: blockdsl-opt %s -triton-loop-unroll | FileCheck %s

// CHECK-LABEL: tt.func @two_turns_in_one
// CHECK: scf.for
// CHECK-COUNT-2: tt.load
// CHECK-NOT: tt.loop_unroll_factor
// CHECK: scf.for
// CHECK-COUNT-1: tt.load
// CHECK: {tt.num_stages = 1 : i32}
tt.func @two_turns_in_one(%p: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) : i32 {
    %1 = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.addf %sum, %2 : f32
    scf.yield %3 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

// Eight iterations by four need no remainder loop; a factor of one leaves the loop unchanged.
// CHECK-LABEL: tt.func @known_turns
// CHECK: scf.for
// CHECK-COUNT-4: tt.store
// CHECK-NOT: tt.num_stages
// CHECK: scf.for
// CHECK-COUNT-1: tt.store
// CHECK: tt.loop_unroll_factor = 1 : i32
// CHECK: tt.loop_unroll_factor = 0 : i32
tt.func @known_turns(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return
}

// CHECK-LABEL: tt.func @loop_in_a_loop
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: tt.store
// CHECK: scf.for
// CHECK-COUNT-2: tt.store
tt.func @loop_in_a_loop(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 2 : i32}
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}
