// RUN: blockdsl-opt %s -tt-scalarize-induction -canonicalize | FileCheck %s

// The same step for all elements: a sum of offsets is carried, 64 bits wide.
// CHECK-LABEL: tt.func @pointers_move_by_a_constant
// CHECK-SAME:    %[[BASE:[^:]*]]: tensor<64x!tt.ptr<f32>>
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:.*]] = %c0_i64) -> (i64)
// CHECK:           %[[BLOCK:.*]] = tt.splat %[[SUM]] : i64 -> tensor<64xi64>
// CHECK:           %[[P:.*]] = tt.addptr %[[BASE]], %[[BLOCK]]
// CHECK:           tt.store %[[P]]
// CHECK:           arith.addi %[[SUM]], %c64_i64
tt.func @pointers_move_by_a_constant(%base: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %base) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    %next = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// A step that differs per element but not per iteration: the iterations are counted.
// CHECK-LABEL: tt.func @step_is_a_block
// CHECK-SAME:    %[[BASE:[^:]*]]: tensor<64x!tt.ptr<f32>>, %[[STEP:[^:]*]]: tensor<64xi32>
// CHECK:         scf.for
// CHECK-DAG:       %[[WIDE:.*]] = arith.extsi %[[STEP]]
// CHECK-DAG:       %[[TURNS:.*]] = tt.splat %{{.*}} : i64 -> tensor<64xi64>
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[WIDE]], %[[TURNS]]
// CHECK:           tt.addptr %[[BASE]], %[[OFFSET]]
tt.func @step_is_a_block(%base: tensor<64x!tt.ptr<f32>>, %step: tensor<64xi32>, %x: tensor<64xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %base) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    %next = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// The result of the loop is the initial value plus all steps.
// CHECK-LABEL: tt.func @integers_and_their_result
// CHECK:         %[[LOOP:.*]] = scf.for
// CHECK:         %[[ALL:.*]] = tt.splat %[[LOOP]] : i32 -> tensor<64xi32>
// CHECK:         arith.addi %{{.*}}, %[[ALL]]
tt.func @integers_and_their_result(%base: tensor<64xi32>, %d: i32, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %base) -> (tensor<64xi32>) : i32 {
    %step = tt.splat %d : i32 -> tensor<64xi32>
    %next = arith.addi %p, %step : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  tt.return %r : tensor<64xi32>
}

// A step per element that is computed in the loop has no closed form: the block is still carried.
// CHECK-LABEL: tt.func @step_changes
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<64xi32>)
tt.func @step_changes(%base: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %base) -> (tensor<64xi32>) : i32 {
    %square = arith.muli %p, %p : tensor<64xi32>
    %next = arith.addi %p, %square : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  tt.return %r : tensor<64xi32>
}
