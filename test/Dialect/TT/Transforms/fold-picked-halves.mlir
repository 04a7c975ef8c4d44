// RUN: blockdsl-opt %s -tt-fold-picked-halves -split-input-file | FileCheck %s

// A step of a sorting network on floats, as Inductor emits it: both elements of each pair, from either sum.
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

// Along the last dimension nothing is transposed. An extension before the sum is applied to the half.
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

// Between two steps the bits are floats only for a reshape, which is done on integers. Bitcasts to other types stay.
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

// Unchanged: weights other than 0 and 1, weights that change along another dimension or that are not constant, sums of
// four elements or of floats, and other reductions.
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

// Half of a one-dimensional block of two elements is not a block.
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

// Each sum uses the one before twice, which would take 2^60 steps to follow: it is unchanged.
// CHECK-LABEL: tt.func @long_weights
// CHECK:         tt.reduce
tt.func @long_weights(%x: tensor<4x2xi32>) -> tensor<4xi32> {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %w0 = tt.expand_dims %range {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %w1 = arith.addi %w0, %w0 : tensor<1x2xi32>
  %w2 = arith.addi %w1, %w1 : tensor<1x2xi32>
  %w3 = arith.addi %w2, %w2 : tensor<1x2xi32>
  %w4 = arith.addi %w3, %w3 : tensor<1x2xi32>
  %w5 = arith.addi %w4, %w4 : tensor<1x2xi32>
  %w6 = arith.addi %w5, %w5 : tensor<1x2xi32>
  %w7 = arith.addi %w6, %w6 : tensor<1x2xi32>
  %w8 = arith.addi %w7, %w7 : tensor<1x2xi32>
  %w9 = arith.addi %w8, %w8 : tensor<1x2xi32>
  %w10 = arith.addi %w9, %w9 : tensor<1x2xi32>
  %w11 = arith.addi %w10, %w10 : tensor<1x2xi32>
  %w12 = arith.addi %w11, %w11 : tensor<1x2xi32>
  %w13 = arith.addi %w12, %w12 : tensor<1x2xi32>
  %w14 = arith.addi %w13, %w13 : tensor<1x2xi32>
  %w15 = arith.addi %w14, %w14 : tensor<1x2xi32>
  %w16 = arith.addi %w15, %w15 : tensor<1x2xi32>
  %w17 = arith.addi %w16, %w16 : tensor<1x2xi32>
  %w18 = arith.addi %w17, %w17 : tensor<1x2xi32>
  %w19 = arith.addi %w18, %w18 : tensor<1x2xi32>
  %w20 = arith.addi %w19, %w19 : tensor<1x2xi32>
  %w21 = arith.addi %w20, %w20 : tensor<1x2xi32>
  %w22 = arith.addi %w21, %w21 : tensor<1x2xi32>
  %w23 = arith.addi %w22, %w22 : tensor<1x2xi32>
  %w24 = arith.addi %w23, %w23 : tensor<1x2xi32>
  %w25 = arith.addi %w24, %w24 : tensor<1x2xi32>
  %w26 = arith.addi %w25, %w25 : tensor<1x2xi32>
  %w27 = arith.addi %w26, %w26 : tensor<1x2xi32>
  %w28 = arith.addi %w27, %w27 : tensor<1x2xi32>
  %w29 = arith.addi %w28, %w28 : tensor<1x2xi32>
  %w30 = arith.addi %w29, %w29 : tensor<1x2xi32>
  %w31 = arith.addi %w30, %w30 : tensor<1x2xi32>
  %w32 = arith.addi %w31, %w31 : tensor<1x2xi32>
  %w33 = arith.addi %w32, %w32 : tensor<1x2xi32>
  %w34 = arith.addi %w33, %w33 : tensor<1x2xi32>
  %w35 = arith.addi %w34, %w34 : tensor<1x2xi32>
  %w36 = arith.addi %w35, %w35 : tensor<1x2xi32>
  %w37 = arith.addi %w36, %w36 : tensor<1x2xi32>
  %w38 = arith.addi %w37, %w37 : tensor<1x2xi32>
  %w39 = arith.addi %w38, %w38 : tensor<1x2xi32>
  %w40 = arith.addi %w39, %w39 : tensor<1x2xi32>
  %w41 = arith.addi %w40, %w40 : tensor<1x2xi32>
  %w42 = arith.addi %w41, %w41 : tensor<1x2xi32>
  %w43 = arith.addi %w42, %w42 : tensor<1x2xi32>
  %w44 = arith.addi %w43, %w43 : tensor<1x2xi32>
  %w45 = arith.addi %w44, %w44 : tensor<1x2xi32>
  %w46 = arith.addi %w45, %w45 : tensor<1x2xi32>
  %w47 = arith.addi %w46, %w46 : tensor<1x2xi32>
  %w48 = arith.addi %w47, %w47 : tensor<1x2xi32>
  %w49 = arith.addi %w48, %w48 : tensor<1x2xi32>
  %w50 = arith.addi %w49, %w49 : tensor<1x2xi32>
  %w51 = arith.addi %w50, %w50 : tensor<1x2xi32>
  %w52 = arith.addi %w51, %w51 : tensor<1x2xi32>
  %w53 = arith.addi %w52, %w52 : tensor<1x2xi32>
  %w54 = arith.addi %w53, %w53 : tensor<1x2xi32>
  %w55 = arith.addi %w54, %w54 : tensor<1x2xi32>
  %w56 = arith.addi %w55, %w55 : tensor<1x2xi32>
  %w57 = arith.addi %w56, %w56 : tensor<1x2xi32>
  %w58 = arith.addi %w57, %w57 : tensor<1x2xi32>
  %w59 = arith.addi %w58, %w58 : tensor<1x2xi32>
  %w60 = arith.addi %w59, %w59 : tensor<1x2xi32>
  %weights = tt.broadcast %w60 : tensor<1x2xi32> -> tensor<4x2xi32>
  %a = arith.muli %x, %weights : tensor<4x2xi32>
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %s: i32):
    %t = arith.addi %l, %s : i32
    tt.reduce.return %t : i32
  }) : (tensor<4x2xi32>) -> tensor<4xi32>
  tt.return %r : tensor<4xi32>
}
