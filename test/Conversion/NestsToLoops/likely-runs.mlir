// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// Indices whose vectors are consecutive but for the ends of unknown pieces.

// A reflected index: consecutive lanes are read at once, others are gathered. An index that wraps around is not
// consecutive.
// CHECK-LABEL: func.func @reflected
// CHECK:         math.absi %{{.*}} : vector<[[N:[0-9]+]]xi32>
// CHECK:         %[[FIRST:.*]] = vector.extract %[[INDICES:.*]][0] : i32 from
// CHECK:         %[[EXPECTED:.*]] = arith.addi
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %[[INDICES]], %[[EXPECTED]]
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %[[EQUAL]]
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %[[FIRST]]
// CHECK:         %[[HOLDS:.*]] = arith.andi %[[ALL]], %[[FITS]]
// CHECK:         scf.if %[[HOLDS]]
// CHECK:           llvm.load %{{.*}} -> vector<[[N]]xf32>
// CHECK:         else
// CHECK:           llvm.intr.masked.gather
// CHECK:         llvm.store %{{.*}} : vector<[[N]]xf32>
tt.func @reflected(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %last = arith.constant dense<999> : tensor<1024xi32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %left = arith.subi %i, %last : tensor<1024xi32>
  %distance = math.absi %left : tensor<1024xi32>
  %at = arith.subi %last, %distance : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Pieces of few elements are not tested, and neither are indices from memory.
// CHECK-LABEL: func.func @short_pieces
// CHECK-NOT:     vector.reduction
// CHECK:         llvm.intr.masked.gather
// CHECK-NOT:     vector.reduction
// CHECK:         llvm.intr.masked.gather
// CHECK-NOT:     vector.reduction
// CHECK:         return
tt.func @short_pieces(%x: !tt.ptr<f32>, %indices: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %five = arith.constant dense<5> : tensor<1024xi32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.remsi %i, %five : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %is = tt.splat %indices : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %index = tt.load %ip : tensor<1024x!tt.ptr<i32>>
  %gp = tt.addptr %xs, %index : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %w = tt.load %gp : tensor<1024x!tt.ptr<f32>>
  %sum = arith.addf %v, %w : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %sum : tensor<1024x!tt.ptr<f32>>
  tt.return
}
