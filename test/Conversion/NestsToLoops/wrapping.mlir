// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// CHECK: #[[SMALL:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #{{.*}}>
// An extension keeps a stride only if nothing wraps, which is known, tested before the loops, or neither.

// Adding less than the block's size to a multiple of it does not carry.
// CHECK-LABEL: func.func @multiple_of_the_block
// CHECK-NOT:     scf.if
// CHECK:         llvm.load {{.*}} : !llvm.ptr -> vector<64xi32>
// CHECK-NOT:     gather
// CHECK:         return
tt.func @multiple_of_the_block(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.addi %starts, %range : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  tt.store %yp, %v : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// If the test is true, the mask bounds the loop and the load is contiguous; otherwise elements are loaded one by one,
// each under its mask.
// CHECK-LABEL: func.func @starts_anywhere(
// CHECK:         %[[LAST:.*]] = arith.constant 2147482624 : i64
// CHECK:         %[[WIDE:.*]] = arith.extsi %arg2 : i32 to i64
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %[[WIDE]], %[[LAST]] : i64
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.for
// CHECK:             llvm.load {{.*}} : !llvm.ptr -> vector<64xi32>
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %c0 to %c1024 step %c1 {
// CHECK:             arith.cmpi slt
// CHECK:             scf.if
// CHECK:               llvm.load {{.*}} -> i32
// CHECK:           } {llvm.loop_annotation = #[[SMALL]]}
// CHECK-NOT:     gather
// CHECK:         return
tt.func @starts_anywhere(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %start: i32, %n: i32) {
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp, %mask : tensor<1024x!tt.ptr<i32>>
  tt.store %yp, %v, %mask : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// A nest whose result is a scalar has two versions too.
// CHECK-LABEL: func.func @sum_from_anywhere(
// CHECK:         %[[SUM:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK:           vector<64xi32>
// CHECK:         } else {
// CHECK-NOT:       vector
// CHECK:           scf.yield
// CHECK:         llvm.store %[[SUM]]
tt.func @sum_from_anywhere(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %start: i32) {
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.addi %starts, %range : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<1024xi32>) -> i32
  tt.store %y, %sum : !tt.ptr<i32>
  tt.return
}

// Integers that are not part of contiguous addresses are extended as vectors, without a test.
// CHECK-LABEL: func.func @hash
// CHECK-NOT:     scf.if
// CHECK:         arith.extsi {{.*}} : vector<64xi32> to vector<64xi64>
// CHECK-NOT:     scf.if
// CHECK:         return
tt.func @hash(%y: !tt.ptr<i64>, %n: i32) {
  %factor = arith.constant dense<73244475> : tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %sum = arith.addi %range, %ns : tensor<1024xi32>
  %product = arith.muli %sum, %factor : tensor<1024xi32>
  %wide = arith.extsi %product : tensor<1024xi32> to tensor<1024xi64>
  %ys = tt.splat %y : !tt.ptr<i64> -> tensor<1024x!tt.ptr<i64>>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<i64>>, tensor<1024xi32>
  tt.store %yp, %wide : tensor<1024x!tt.ptr<i64>>
  tt.return
}

// An 8-bit value that wraps within a vector has no stride after an extension.
// CHECK-LABEL: func.func @looked_up
// CHECK:         arith.constant dense<[0, 16, {{.*}}, 224, 240, 0, 16, {{.*}}]> : vector<64xi32>
// CHECK:         gather
tt.func @looked_up(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %product = arith.muli %range, %c16 : tensor<64xi32>
  %narrow = arith.trunci %product : tensor<64xi32> to tensor<64xi8>
  %at = arith.extui %narrow : tensor<64xi8> to tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  tt.store %yp, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}

// A factor is signed: times -1 two lanes are 0 and 2^32 - 1, which become neither a stride of -1 nor a wrong constant.
// CHECK-LABEL: func.func @negative_factor_of_two_lanes
// CHECK:         %[[NUMBERS:.*]] = arith.constant dense<[0, 4294967295]> : vector<2xi64>
// CHECK:         llvm.store %[[NUMBERS]]
tt.func @negative_factor_of_two_lanes(%x: !tt.ptr<i64>) {
  %factor = arith.constant dense<-1> : tensor<2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %product = arith.muli %range, %factor : tensor<2xi32>
  %wide = arith.extui %product : tensor<2xi32> to tensor<2xi64>
  %xs = tt.splat %x : !tt.ptr<i64> -> tensor<2x!tt.ptr<i64>>
  %xp = tt.addptr %xs, %range : tensor<2x!tt.ptr<i64>>, tensor<2xi32>
  tt.store %xp, %wide : tensor<2x!tt.ptr<i64>>
  tt.return
}
