// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// Elements with small strides are extracted from vector loads; others are gathered.

// CHECK-LABEL: func.func @every_second
// CHECK-NEXT:    %[[LOW:.*]] = llvm.load %arg0 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:    %[[LAST:.*]] = llvm.getelementptr %arg0[60] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    %[[HIGH:.*]] = llvm.load %[[LAST]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:    vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT:     gather
// CHECK:         return
tt.func @every_second(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %two = arith.constant dense<2> : tensor<16xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %at = arith.muli %i, %two : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// A test before the loop rules out that doubled offsets wrap; otherwise elements are loaded one by one.
// CHECK-LABEL: func.func @second_from_anywhere
// CHECK:         %[[FITS:.*]] = arith.cmpi sle
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.for
// CHECK-COUNT-2:     llvm.load {{.*}} -> vector<64xi32>
// CHECK:             vector.shuffle
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             llvm.load {{.*}} -> i32
// CHECK-NOT:     gather
// CHECK:         return
tt.func @second_from_anywhere(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %start: i32) {
  %two = arith.constant dense<2> : tensor<1024xi32>
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %from = arith.addi %starts, %i : tensor<1024xi32>
  %at = arith.muli %from, %two : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  tt.store %yp, %v : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// A stride of five elements is gathered.
// CHECK-LABEL: func.func @every_fifth
// CHECK-NOT:     shuffle
// CHECK:         llvm.intr.masked.gather
// CHECK:         return
tt.func @every_fifth(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %five = arith.constant dense<5> : tensor<16xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %at = arith.muli %i, %five : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Under a mask that bounds no loop, the elements in between may be unmapped: gathered.
// CHECK-LABEL: func.func @masked_by_data
// CHECK-NOT:     shuffle
// CHECK:         llvm.intr.masked.gather
// CHECK:         return
tt.func @masked_by_data(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %two = arith.constant dense<2> : tensor<16xi32>
  %zero = arith.constant dense<0> : tensor<16xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %at = arith.muli %i, %two : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %old = tt.load %yp : tensor<16x!tt.ptr<i32>>
  %wanted = arith.cmpi sgt, %old, %zero : tensor<16xi32>
  %v = tt.load %xp, %wanted, %zero : tensor<16x!tt.ptr<i32>>
  tt.store %yp, %v : tensor<16x!tt.ptr<i32>>
  tt.return
}
