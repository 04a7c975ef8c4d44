// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// An update in place of repeated elements: all of them are loaded before the first store.
// CHECK-LABEL: func.func @update_modulo
// CHECK:         llvm.alloca
// CHECK:         scf.for
// CHECK:           gather
// CHECK:         scf.for
// CHECK-NOT:       gather
// CHECK:           scatter
tt.func @update_modulo(%x: !tt.ptr<f32>) {
  %four = arith.constant dense<4> : tensor<1024xi32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.remsi %range, %four : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %b = arith.addf %a, %one : tensor<1024xf32>
  tt.store %xp, %b : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The row stride of a matrix, only known at run time, is assumed to keep its rows distinct: no copy.
// CHECK-LABEL: func.func @update_matrix
// CHECK-NOT:     llvm.alloca
// CHECK:         return
tt.func @update_matrix(%x: !tt.ptr<f32>, %pitch: i32) {
  %one = arith.constant dense<1.0> : tensor<16x64xf32>
  %rows = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<16x1xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r1 = arith.muli %r0, %pitches : tensor<16x1xi32>
  %r2 = tt.broadcast %r1 : tensor<16x1xi32> -> tensor<16x64xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %r2, %c1 : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %a = tt.load %xp : tensor<16x64x!tt.ptr<f32>>
  %b = arith.addf %a, %one : tensor<16x64xf32>
  tt.store %xp, %b : tensor<16x64x!tt.ptr<f32>>
  tt.return
}

// The same block of pointers, but each element is stored to the address of another one.
// CHECK-LABEL: func.func @turn_in_place
// CHECK:         %[[COPY:.*]] = llvm.alloca
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> vector<32xf32>
// CHECK:           llvm.store
// CHECK:         }
// CHECK:         scf.for
// CHECK-NOT:       %arg0[
// CHECK:           vector.shuffle
// CHECK:           llvm.store
tt.func @turn_in_place(%x: !tt.ptr<f32>) {
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %xp : tensor<32x32x!tt.ptr<f32>>
  %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %xp, %b : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
