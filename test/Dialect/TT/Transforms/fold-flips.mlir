// RUN: blockdsl-opt %s -tt-fold-flips -split-input-file | FileCheck %s

// Both bits of the index are turned over: the block is read from its end.
// CHECK-LABEL: tt.func @a_whole_dimension
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xi32>
// CHECK-DAG:     %[[LAST:.*]] = arith.constant dense<3> : tensor<4xi32>
// CHECK-DAG:     %[[RANGE:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
// CHECK:         %[[DOWN:.*]] = arith.subi %[[LAST]], %[[RANGE]]
// CHECK:         %[[INDEX:.*]] = tt.broadcast
// CHECK:         %[[R:.*]] = tt.gather %{{.*}}[%[[INDEX]]] {axis = 1 : i32} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi32>
// CHECK:         tt.return %[[R]]
tt.func @a_whole_dimension(%x: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %bits = tt.reshape %x : tensor<8x4xi32> -> tensor<8x2x2xi32>
  %0 = "tt.reduce"(%bits) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x2x2xi32>) -> tensor<8x2xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x2xi32> -> tensor<8x1x2xi32>
  %2 = tt.broadcast %1 : tensor<8x1x2xi32> -> tensor<8x2x2xi32>
  %3 = arith.xori %bits, %2 : tensor<8x2x2xi32>
  %4 = "tt.reduce"(%3) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x2x2xi32>) -> tensor<8x2xi32>
  %5 = tt.expand_dims %4 {axis = 2 : i32} : tensor<8x2xi32> -> tensor<8x2x1xi32>
  %6 = tt.broadcast %5 : tensor<8x2x1xi32> -> tensor<8x2x2xi32>
  %7 = arith.xori %6, %3 : tensor<8x2x2xi32>
  %8 = tt.reshape %7 : tensor<8x2x2xi32> -> tensor<8x4xi32>
  tt.return %8 : tensor<8x4xi32>
}

// -----

// One bit of two, and sums that are no exclusive or: these stay.
// CHECK-LABEL: tt.func @part_of_a_dimension
// CHECK-NOT:     tt.gather
// CHECK:         tt.return
tt.func @part_of_a_dimension(%x: tensor<4xi32>) -> tensor<4xi32> {
  %bits = tt.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %0 = "tt.reduce"(%bits) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %2 = tt.broadcast %1 : tensor<1x2xi32> -> tensor<2x2xi32>
  %3 = arith.xori %bits, %2 : tensor<2x2xi32>
  %4 = tt.reshape %3 : tensor<2x2xi32> -> tensor<4xi32>
  tt.return %4 : tensor<4xi32>
}

// CHECK-LABEL: tt.func @other_sums
// CHECK-NOT:     tt.gather
// CHECK:         tt.return
tt.func @other_sums(%x: tensor<8x2x1xi32>) -> tensor<8x2xi32> {
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<8x2x1xi32>) -> tensor<8x1xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
  %2 = tt.broadcast %1 : tensor<8x1x1xi32> -> tensor<8x2x1xi32>
  %3 = arith.xori %x, %2 : tensor<8x2x1xi32>
  %4 = tt.reshape %3 : tensor<8x2x1xi32> -> tensor<8x2xi32>
  tt.return %4 : tensor<8x2xi32>
}
