// RUN: blockdsl-opt %s -tt-fold-flips -split-input-file | FileCheck %s

// Both bits of the index are inverted: the block is reversed.
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

// Unchanged: one bit of two, and sums other than exclusive or.
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

// -----

// A step of a network with one dimension per bit: flat blocks, and a gather whose index differs in one bit. The index
// of a dimension is a bit of the flat index.
// CHECK-LABEL: tt.func @network
// CHECK-SAME:    %[[X:[^:]*]]: tensor<32xi32>
// CHECK:         %[[INDEX:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK:         %[[THREE:.*]] = arith.constant dense<3> : tensor<32xi32>
// CHECK:         %[[BITS:.*]] = arith.shrui %[[INDEX]], %[[THREE]] : tensor<32xi32>
// CHECK:         %[[SIDE:.*]] = arith.andi %[[BITS]], %{{.*}} : tensor<32xi32>
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[SIDE]], %{{.*}} : tensor<32xi32>
// CHECK:         %[[FLAT:.*]] = tt.reshape %[[X]] : tensor<32xi32> -> tensor<32xi32>
// CHECK:         %[[FOUR:.*]] = arith.constant dense<4> : tensor<32xi32>
// CHECK:         %[[PARTNER:.*]] = arith.xori %{{.*}}, %[[FOUR]] : tensor<32xi32>
// CHECK:         %[[OTHER:.*]] = tt.gather %[[FLAT]][%[[PARTNER]]] {axis = 0 : i32} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
// CHECK:         %[[R:.*]] = arith.select %[[IS]], %[[OTHER]], %[[FLAT]] : tensor<32xi1>, tensor<32xi32>
// CHECK:         tt.reshape %[[R]] : tensor<32xi32> -> tensor<32xi32>
// The reduction uses the flat network's result in its original dimensions.
// CHECK:         %[[WHOLE:.*]] = tt.reshape %[[R]] : tensor<32xi32> -> tensor<2x2x2x2x2xi32>
// CHECK:         "tt.reduce"(%[[WHOLE]]) <{axis = 0 : i32}>
tt.func @network(%x: tensor<32xi32>) -> (tensor<32xi32>, tensor<2x2x2x2xi32>) {
  %bits = tt.reshape %x : tensor<32xi32> -> tensor<2x2x2x2x2xi32>
  %0 = "tt.reduce"(%bits) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
  %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x1x2x2xi32>
  %2 = tt.broadcast %1 : tensor<2x2x1x2x2xi32> -> tensor<2x2x2x2x2xi32>
  %other = arith.xori %bits, %2 : tensor<2x2x2x2x2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %side = tt.reshape %range : tensor<2xi32> -> tensor<1x2x1x1x1xi32>
  %one = arith.constant dense<1> : tensor<1x2x1x1x1xi32>
  %is = arith.cmpi eq, %side, %one : tensor<1x2x1x1x1xi32>
  %all = tt.broadcast %is : tensor<1x2x1x1x1xi1> -> tensor<2x2x2x2x2xi1>
  %chosen = arith.select %all, %other, %bits : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xi32>
  %y = tt.reshape %chosen : tensor<2x2x2x2x2xi32> -> tensor<32xi32>
  %m = "tt.reduce"(%chosen) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
  tt.return %y, %m : tensor<32xi32>, tensor<2x2x2x2xi32>
}

// -----

// Unchanged: few dimensions, and ops without an exchange.
// CHECK-LABEL: tt.func @no_networks
// CHECK-NOT:     tt.gather
// CHECK:         tt.return
tt.func @no_networks(%x: tensor<16xi32>, %y: tensor<2x2x2x2x2xi32>) -> (tensor<16xi32>, tensor<32xi32>) {
  %bits = tt.reshape %x : tensor<16xi32> -> tensor<2x2x2x2xi32>
  %0 = "tt.reduce"(%bits) <{axis = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2x2x2xi32>) -> tensor<2x2x2xi32>
  %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<2x2x2xi32> -> tensor<2x2x1x2xi32>
  %2 = tt.broadcast %1 : tensor<2x2x1x2xi32> -> tensor<2x2x2x2xi32>
  %3 = arith.xori %bits, %2 : tensor<2x2x2x2xi32>
  %4 = arith.addi %3, %bits : tensor<2x2x2x2xi32>
  %few = tt.reshape %4 : tensor<2x2x2x2xi32> -> tensor<16xi32>
  %doubled = arith.addi %y, %y : tensor<2x2x2x2x2xi32>
  %many = tt.reshape %doubled : tensor<2x2x2x2x2xi32> -> tensor<32xi32>
  tt.return %few, %many : tensor<16xi32>, tensor<32xi32>
}
