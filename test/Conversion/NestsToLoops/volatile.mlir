// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// A volatile load is made once, element by element, in program order, whether or not its result is used.

// CHECK-LABEL: func.func @nobody_looks
// CHECK:         scf.for
// CHECK:           llvm.load volatile {{.*}} -> i32
// CHECK:           llvm.store
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             llvm.load volatile {{.*}} -> i32
// CHECK-NOT:     volatile
// CHECK:         return
tt.func @nobody_looks(%x: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %0 = tt.load %xp {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  tt.store %xp, %range : tensor<64x!tt.ptr<i32>>
  %1 = tt.load %xp, %mask {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  tt.return
}

// Two volatile loads do not share a loop, in which their elements would alternate.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK:         scf.for
// CHECK:           llvm.load volatile {{.*}} -> i32
// CHECK:         scf.for
// CHECK:           llvm.load volatile {{.*}} -> f32
// CHECK-NOT:     volatile
// CHECK:         return
tt.func @one_after_the_other(%x: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %0 = tt.load %xp {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %1 = tt.load %yp {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.store %xp, %0 : tensor<64x!tt.ptr<i32>>
  tt.store %yp, %1 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A volatile load is made in full, even if its only consumer uses it under a mask.
// The mask does not bound its loop.
// CHECK-LABEL: func.func @looked_at_under_a_mask
// CHECK:         scf.for
// CHECK:           llvm.load volatile {{.*}} -> i32
// CHECK:         return
tt.func @looked_at_under_a_mask(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %never = arith.cmpi slt, %range, %zero : tensor<64xi32>
  %0 = tt.load %xp {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %1 = arith.addi %0, %range : tensor<64xi32>
  tt.store %yp, %1, %never : tensor<64x!tt.ptr<i32>>
  tt.return
}
