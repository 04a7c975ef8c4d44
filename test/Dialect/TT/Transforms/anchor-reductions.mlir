// RUN: blockdsl-opt %s -tt-anchor-reductions=version=3.8 | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: blockdsl-opt %s -tt-anchor-reductions=version=3.9 | FileCheck %s --check-prefixes=CHECK,LATEST

// CHECK-LABEL: tt.func @permuted
// CHECK:         %[[ROWS:.*]] = tt.reshape {{.*}} -> tensor<8x16xi32>
// EARLY:         %[[RANGE:.*]] = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
// EARLY:         %[[COLUMN:.*]] = tt.expand_dims %[[RANGE]] {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
// EARLY:         %[[PLACES:.*]] = tt.broadcast %[[COLUMN]] : tensor<8x1xi32> -> tensor<8x16xi32>
// EARLY:         %[[SAME:.*]] = tt.gather %[[ROWS]][%[[PLACES]]] {axis = 0 : i32}
// EARLY:         "tt.reduce"(%[[SAME]])
// LATEST:        "tt.reduce"(%[[ROWS]])
tt.func @permuted(%x: tensor<128xi32>) -> tensor<8xi32> {
  %0 = tt.reshape %x : tensor<128xi32> -> tensor<8x2x8xi32>
  %1 = tt.trans %0 {order = array<i32: 0, 2, 1>} : tensor<8x2x8xi32> -> tensor<8x8x2xi32>
  %2 = tt.reshape %1 : tensor<8x8x2xi32> -> tensor<8x16xi32>
  %3 = "tt.reduce"(%2) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %4 = arith.addi %a, %b : i32
    tt.reduce.return %4 : i32
  }) : (tensor<8x16xi32>) -> tensor<8xi32>
  tt.return %3 : tensor<8xi32>
}

// Loop-carried blocks, blocks combined with permuted ones, and both operands of one reduction.
// CHECK-LABEL:  tt.func @carried
// EARLY-COUNT-2:  tt.gather %{{.*}} {axis = 0 : i32} : (tensor<4x16xi32>, tensor<4x16xi32>)
// LATEST-NOT:     tt.gather
tt.func @carried(%x: tensor<4x4x4xi32>, %y: tensor<4x16xi32>, %n: i32, %at: tensor<4x16xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tt.trans %x {order = array<i32: 1, 0, 2>} : tensor<4x4x4xi32> -> tensor<4x4x4xi32>
  %1 = tt.reshape %0 : tensor<4x4x4xi32> -> tensor<4x16xi32>
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %y) -> (tensor<4x16xi32>) : i32 {
    %4 = arith.addi %sum, %1 : tensor<4x16xi32>
    scf.yield %4 : tensor<4x16xi32>
  }
  %3:2 = "tt.reduce"(%2, %1) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %5 = arith.addi %a, %c : i32
    %6 = arith.addi %b, %d : i32
    tt.reduce.return %5, %6 : i32, i32
  }) : (tensor<4x16xi32>, tensor<4x16xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  tt.return %3#0, %3#1 : tensor<4xi32>, tensor<4xi32>
}

// Only permuted, only reshaped, and a matmul of both, as in attention.
// CHECK-LABEL: tt.func @left_alone
// CHECK-NOT:     tt.gather
tt.func @left_alone(%x: tensor<16x32xf32>, %y: tensor<512xf32>, %q: tensor<16x16xf16>, %k: tensor<512xf16>)
    -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  %1 = tt.reshape %y : tensor<512xf32> -> tensor<16x32xf32>
  %2 = tt.reshape %k : tensor<512xf16> -> tensor<32x16xf16>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<32x16xf16> -> tensor<16x32xf16>
  %4 = tt.dot %q, %3, %zero : tensor<16x16xf16> * tensor<16x32xf16> -> tensor<16x32xf32>
  %5 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %9 = arith.addf %a, %b : f32
    tt.reduce.return %9 : f32
  }) : (tensor<32x16xf32>) -> tensor<16xf32>
  %6 = "tt.reduce"(%1) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %9 = arith.addf %a, %b : f32
    tt.reduce.return %9 : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  %7 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %9 = arith.maxnumf %a, %b : f32
    tt.reduce.return %9 : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  tt.return %5, %6, %7 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
