// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// A load with a negative unit stride is a reversed vector load.
// CHECK-LABEL: func.func @reversed
// CHECK:         %[[LAST:.*]] = llvm.getelementptr %{{.*}}[-60] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    %[[READ:.*]] = llvm.load %[[LAST]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:    %[[TURNED:.*]] = vector.shuffle %[[READ]], %[[READ]] [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
// CHECK:         llvm.store %[[TURNED]]
tt.func @reversed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %at = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %last = arith.constant dense<15> : tensor<16xi32>
  %from = arith.subi %last, %at : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %yp, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Under a mask per lane it is a gather.
// CHECK-LABEL: func.func @reversed_under_a_mask
// CHECK-NOT:     vector.shuffle
// CHECK:         llvm.intr.masked.gather
tt.func @reversed_under_a_mask(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: !tt.ptr<i1>) {
  %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %last = arith.constant dense<63> : tensor<64xi32>
  %from = arith.subi %last, %at : tensor<64xi32>
  %ms = tt.splat %m : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
  %mp = tt.addptr %ms, %at : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
  %mask = tt.load %mp : tensor<64x!tt.ptr<i1>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// With more than six dimensions the outermost ones share a loop, whose induction variable is decomposed.
// CHECK-LABEL: func.func @eight_dimensions
// CHECK-DAG:     %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         scf.for %[[AT:.*]] = %{{.*}} to %[[EIGHT]]
// CHECK:           arith.remui %[[AT]], %[[TWO]] : index
// CHECK:           %[[REST:.*]] = arith.divui %[[AT]], %[[TWO]] : index
// CHECK:           arith.remui %[[REST]], %[[TWO]] : index
// CHECK-COUNT-4:   scf.for
// CHECK-NOT:       scf.for
// CHECK:         return
tt.func @eight_dimensions(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %at = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %places = tt.reshape %at : tensor<2048xi32> -> tensor<2x2x2x2x2x2x2x16xi32>
  %turned = tt.trans %places {order = array<i32: 6, 4, 2, 0, 5, 3, 1, 7>} : tensor<2x2x2x2x2x2x2x16xi32> -> tensor<2x2x2x2x2x2x2x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %turned : tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>, tensor<2x2x2x2x2x2x2x16xi32>
  %v = tt.load %xp : tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %places : tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>, tensor<2x2x2x2x2x2x2x16xi32>
  tt.store %yp, %v : tensor<2x2x2x2x2x2x2x16x!tt.ptr<f32>>
  tt.return
}
