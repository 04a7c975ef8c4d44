// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// The lanes run along the contiguous dimension; a sum along the other one keeps one result per lane.
// CHECK-LABEL: func.func @column_sums
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<64xf32>)
// CHECK:           %[[ROW:.*]] = llvm.load %{{.*}} -> vector<64xf32>
// CHECK:           arith.addf %[[ACC]], %[[ROW]]
// CHECK-NOT:     vector.extract
// CHECK:         return
tt.func @column_sums(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pitch = arith.constant dense<64> : tensor<16x1xi32>
  %rows = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<16x1xi32>
  %r2 = tt.broadcast %r1 : tensor<16x1xi32> -> tensor<16x64xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %r2, %c1 : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %v = tt.load %xp : tensor<16x64x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x64xf32>) -> tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %columns : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Masked-off elements are neutral for the sum: the loop ends where the mask does. The remainder of steps of four
// vectors runs in single vectors, of which only the last is masked.
// CHECK-LABEL: func.func @masked_sum_ends_with_its_mask
// CHECK:         %[[REST:.*]] = arith.remui %{{.*}}, %c64
// CHECK:         %[[FULL:.*]] = arith.subi %{{.*}}, %[[REST]] : index
// CHECK:         %[[ACC:.*]] = scf.for %{{.*}} = %c0 to %[[FULL]] step %c64 iter_args
// CHECK:           llvm.load {{.*}} -> vector<64xf32>
// CHECK:         arith.addf %{{.*}} : vector<32xf32>
// CHECK:         %[[NARROW:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK:         %[[LAST:.*]] = arith.remui %[[REST]], %c16
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[REST]], %[[LAST]]
// CHECK:         %[[END:.*]] = arith.addi %[[FULL]], %[[WHOLE]]
// CHECK:         scf.for %{{.*}} = %[[FULL]] to %[[END]] step %c16 iter_args(%{{.*}} = %[[NARROW]])
// CHECK:           llvm.load {{.*}} -> vector<16xf32>
// CHECK:         scf.if %{{.*}} -> (vector<16xf32>)
// CHECK:           llvm.intr.masked.load {{.*}} -> vector<16xf32>
tt.func @masked_sum_ends_with_its_mask(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %inside, %zero : tensor<1024x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}

// A combine region without a known neutral element starts from the first vector; value and index go together.
// CHECK-LABEL: func.func @argmax
// CHECK:         %[[FIRST:.*]] = llvm.load %{{.*}} -> vector<64xf32>
// CHECK:         %{{.*}}:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]], %{{.*}} = %{{.*}}) -> (vector<64xf32>, vector<64xi32>)
// CHECK:         vector.extract_strided_slice {{.*}} sizes = [32]
// CHECK:         vector.extract %{{.*}}[0] : i32 from vector<1xi32>
tt.func @argmax(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %m:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %gt, %a, %b : f32
    %s = arith.select %gt, %i, %j : i32
    tt.reduce.return %r, %s : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (f32, i32)
  tt.store %y, %m#1 : !tt.ptr<i32>
  tt.return
}

// Triton's assertions for overflows in sums, which are not checked on a CPU.
// CHECK-LABEL: func.func @sum_that_asserts
// CHECK-NOT:     tt.assert
// CHECK:         arith.addi {{.*}} : vector<
// CHECK:         return
tt.func public @sum_that_asserts(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %1 = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %3 = tt.load %2 : tensor<64x!tt.ptr<i32>>
  %4 = "tt.reduce"(%3) <{axis = 0 : i32}> ({
  ^bb0(%arg2: i32 , %arg3: i32):
    %8 = arith.cmpi sle, %arg2, %arg3 : i32
    tt.assert %8, "int32 overflow detected for operation add" : i1
    %11 = arith.addi %arg2, %arg3 : i32
    tt.reduce.return %11 : i32
  }) : (tensor<64xi32>) -> i32
  tt.store %y, %4 : !tt.ptr<i32>
  tt.return
}
