// RUN: blockdsl-opt %s -tt-fold-picked-halves -split-input-file | FileCheck %s

// A step of a network that sorts floats, as Inductor writes it: both of each pair, from either sum.
// CHECK-LABEL: tt.func @both_halves
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>
// CHECK:         %[[BITS:.*]] = tt.bitcast %{{.*}} : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
// CHECK-NOT:     tt.reduce
// CHECK:         %[[PAIRS:.*]] = tt.trans %[[BITS]] {order = array<i32: 0, 2, 1>} : tensor<2x2x2xi32> -> tensor<2x2x2xi32>
// CHECK:         %[[FIRST:[^,]*]], %{{.*}} = tt.split %[[PAIRS]]
// CHECK:         %[[SAME:.*]] = tt.trans %[[BITS]] {order = array<i32: 0, 2, 1>}
// CHECK:         %{{.*}}, %[[SECOND:.*]] = tt.split %[[SAME]]
// CHECK-NOT:     tt.reduce
// CHECK:         tt.return %[[FIRST]], %[[SECOND]]
tt.func @both_halves(%x: tensor<8xf32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %one = arith.constant dense<1> : tensor<1x2x1xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %second = tt.expand_dims %line {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %first = arith.subi %one, %second : tensor<1x2x1xi32>
  %first3 = tt.broadcast %first : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
  %second3 = tt.broadcast %second : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
  %pairs = tt.reshape %x : tensor<8xf32> -> tensor<2x2x2xf32>
  %bits = tt.bitcast %pairs : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
  %a = arith.muli %bits, %first3 : tensor<2x2x2xi32>
  %left = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %b = arith.muli %second3, %bits : tensor<2x2x2xi32>
  %right = "tt.reduce"(%b) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %r, %l : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  tt.return %left, %right : tensor<2x2xi32>, tensor<2x2xi32>
}

// -----

// Along the last dimension nothing is transposed. What the sum widens is widened of the half.
// CHECK-LABEL: tt.func @widened
// CHECK-SAME:    %[[X:.*]]: tensor<4x2xi16>
// CHECK:         %{{.*}}, %[[SECOND:.*]] = tt.split %[[X]] : tensor<4x2xi16> -> tensor<4xi16>
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[SECOND]] : tensor<4xi16> to tensor<4xi32>
// CHECK:         tt.return %[[WIDE]]
tt.func @widened(%x: tensor<4x2xi16>) -> tensor<4xi32> {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %narrow = arith.trunci %range : tensor<2xi32> to tensor<2xi16>
  %line = tt.expand_dims %narrow {axis = 0 : i32} : tensor<2xi16> -> tensor<1x2xi16>
  %second = tt.broadcast %line : tensor<1x2xi16> -> tensor<4x2xi16>
  %a = arith.muli %x, %second : tensor<4x2xi16>
  %wide = arith.extsi %a : tensor<4x2xi16> to tensor<4x2xi32>
  %r = "tt.reduce"(%wide) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  tt.return %r : tensor<4xi32>
}

// -----

// From one step to the next the bits are floats for a reshape only. Of another type they stay what they are.
// CHECK-LABEL: tt.func @bits
// CHECK-SAME:    %[[X:.*]]: tensor<4xi32>
// CHECK:         %[[R:.*]] = tt.reshape %[[X]] : tensor<4xi32> -> tensor<2x2xi32>
// CHECK:         tt.return %[[R]]
tt.func @bits(%x: tensor<4xi32>) -> tensor<2x2xi32> {
  %f = tt.bitcast %x : tensor<4xi32> -> tensor<4xf32>
  %m = tt.reshape %f : tensor<4xf32> -> tensor<2x2xf32>
  %i = tt.bitcast %m : tensor<2x2xf32> -> tensor<2x2xi32>
  tt.return %i : tensor<2x2xi32>
}

// CHECK-LABEL: tt.func @other_bits
// CHECK:         tt.bitcast
// CHECK:         tt.reshape
// CHECK:         tt.bitcast
tt.func @other_bits(%x: tensor<4xbf16>) -> tensor<2x2xi16> {
  %f = tt.bitcast %x : tensor<4xbf16> -> tensor<4xf16>
  %m = tt.reshape %f : tensor<4xf16> -> tensor<2x2xf16>
  %i = tt.bitcast %m : tensor<2x2xf16> -> tensor<2x2xi16>
  tt.return %i : tensor<2x2xi16>
}

// -----

// Weights that are no 0 and 1, or that change along another dimension, or that come at run time; sums of four, of
// floats, and what is no sum: these stay.
// CHECK-LABEL: tt.func @twice_and_once
// CHECK:         tt.reduce
tt.func @twice_and_once(%x: tensor<4x2xi32>) -> tensor<4xi32> {
  %range = tt.make_range {end = 3 : i32, start = 1 : i32} : tensor<2xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %weights = tt.broadcast %line : tensor<1x2xi32> -> tensor<4x2xi32>
  %a = arith.muli %x, %weights : tensor<4x2xi32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  tt.return %r : tensor<4xi32>
}

// CHECK-LABEL: tt.func @along_another
// CHECK:         tt.reduce
tt.func @along_another(%x: tensor<2x2xi32>) -> tensor<2xi32> {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %weights = tt.broadcast %line : tensor<1x2xi32> -> tensor<2x2xi32>
  %a = arith.muli %x, %weights : tensor<2x2xi32>
  %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  tt.return %r : tensor<2xi32>
}

// CHECK-LABEL: tt.func @of_run_time
// CHECK:         tt.reduce
tt.func @of_run_time(%x: tensor<4x2xi32>, %weights: tensor<4x2xi32>) -> tensor<4xi32> {
  %a = arith.muli %x, %weights : tensor<4x2xi32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  tt.return %r : tensor<4xi32>
}

// CHECK-LABEL: tt.func @of_four
// CHECK:         tt.reduce
tt.func @of_four(%x: tensor<2x4xi32>) -> tensor<2xi32> {
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %weights = tt.broadcast %line : tensor<1x4xi32> -> tensor<2x4xi32>
  %a = arith.muli %x, %weights : tensor<2x4xi32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<2x4xi32>) -> tensor<2xi32>
  tt.return %r : tensor<2xi32>
}

// CHECK-LABEL: tt.func @of_floats
// CHECK:         tt.reduce
tt.func @of_floats(%x: tensor<4x2xf32>) -> tensor<4xf32> {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %second = tt.broadcast %line : tensor<1x2xi32> -> tensor<4x2xi32>
  %weights = arith.sitofp %second : tensor<4x2xi32> to tensor<4x2xf32>
  %a = arith.mulf %x, %weights : tensor<4x2xf32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %s: f32):
    %t = arith.addf %l, %s : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x2xf32>) -> tensor<4xf32>
  tt.return %r : tensor<4xf32>
}

// CHECK-LABEL: tt.func @largest
// CHECK:         tt.reduce
tt.func @largest(%x: tensor<4x2xi32>) -> tensor<4xi32> {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %line = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %second = tt.broadcast %line : tensor<1x2xi32> -> tensor<4x2xi32>
  %a = arith.muli %x, %second : tensor<4x2xi32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.maxsi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  tt.return %r : tensor<4xi32>
}

// A line of two has no half that is a block.
// CHECK-LABEL: tt.func @a_line
// CHECK:         tt.reduce
tt.func @a_line(%x: tensor<2xi32>) -> i32 {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %a = arith.muli %x, %range : tensor<2xi32>
  %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<2xi32>) -> i32
  tt.return %r : i32
}
