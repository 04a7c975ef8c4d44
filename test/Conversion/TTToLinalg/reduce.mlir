// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s
// Reductions, scans and histograms keep their form; a gather reads its source by index.

// CHECK-LABEL: tt.func @reduction_stays
// CHECK:         "tt.reduce"
tt.func @reduction_stays(%x: tensor<64xf32>) -> f32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %s : f32
}

// A select of the larger element or of a NaN becomes the op that has an identity; for integers, too.
// CHECK-LABEL: tt.func @maximum_or_nan
// CHECK:       ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:    %[[MAX:.*]] = arith.maximumf %[[A]], %[[B]] : f32
// CHECK-NEXT:    tt.reduce.return %[[MAX]]
tt.func @maximum_or_nan(%x: tensor<64xf32>) -> f32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %further = arith.cmpf ogt, %a, %b : f32
    %nan = arith.cmpf une, %a, %a : f32
    %either = arith.ori %further, %nan : i1
    %c = arith.select %either, %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %s : f32
}

// CHECK-LABEL: tt.func @minimum_of_unsigned
// CHECK:       ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
// CHECK-NEXT:    %[[MIN:.*]] = arith.minui %[[A]], %[[B]] : i32
// CHECK-NEXT:    tt.reduce.return %[[MIN]]
tt.func @minimum_of_unsigned(%x: tensor<64xi32>) -> i32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi ult, %a, %b : i32
    %c = arith.select %less, %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64xi32>) -> i32
  tt.return %s : i32
}

// Without the test for NaN the result depends on the order of combination, which must stay.
// CHECK-LABEL: tt.func @larger_or_second
// CHECK:         arith.cmpf ogt
// CHECK:         arith.select
tt.func @larger_or_second(%x: tensor<64xf32>) -> f32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %further = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %further, %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %s : f32
}

// CHECK-LABEL: tt.func @gather_along_axis_1
// CHECK-SAME:    %[[SOURCE:.*]]: tensor<8x4xf32>
// CHECK:         linalg.generic
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           %[[INDEX:.*]] = arith.index_castui %{{.*}} : i32 to index
// CHECK:           %[[EXTENT:.*]] = arith.constant 4 : index
// CHECK:           %[[AT:.*]] = arith.remui %[[INDEX]], %[[EXTENT]] : index
// CHECK:           tensor.extract %[[SOURCE]][%[[ROW]], %[[AT]]]
tt.func @gather_along_axis_1(%s: tensor<8x4xf32>, %i: tensor<8x2xi32>) -> tensor<8x2xf32> {
  %g = tt.gather %s[%i] {axis = 1 : i32} : (tensor<8x4xf32>, tensor<8x2xi32>) -> tensor<8x2xf32>
  tt.return %g : tensor<8x2xf32>
}

// Triton's search for the largest element and its index, whose result depends on the order if there are NaNs. The first
// pair is also selected if only the second value is NaN, and two NaNs are equal.

// CHECK-LABEL: tt.func @argmax_passes_over_nan
// CHECK:         "tt.reduce"
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[I:.*]]: i32, %[[B:.*]]: f32, %[[J:.*]]: i32):
// CHECK-DAG:       %[[EQUAL:.*]] = arith.cmpf oeq, %[[A]], %[[B]] : f32
// CHECK-DAG:       %[[BEFORE:.*]] = arith.cmpi slt, %[[I]], %[[J]] : i32
// CHECK-DAG:       %[[FURTHER:.*]] = arith.cmpf ogt, %[[A]], %[[B]] : f32
// CHECK-DAG:       %[[NAN_A:.*]] = arith.cmpf une, %[[A]], %[[A]] : f32
// CHECK-DAG:       %[[NAN_B:.*]] = arith.cmpf une, %[[B]], %[[B]] : f32
// CHECK:           %[[NUMBER:.*]] = arith.xori %[[NAN_A]], %{{.*}} : i1
// CHECK:           %[[ALONE:.*]] = arith.andi %[[NAN_B]], %[[NUMBER]] : i1
// CHECK:           %[[FIRST:.*]] = arith.ori %[[FURTHER]], %[[ALONE]] : i1
// CHECK:           %[[BOTH:.*]] = arith.andi %[[NAN_A]], %[[NAN_B]] : i1
// CHECK:           %[[SAME:.*]] = arith.ori %[[EQUAL]], %[[BOTH]] : i1
// CHECK:           %[[TIE:.*]] = arith.andi %[[SAME]], %[[BEFORE]] : i1
// CHECK:           %[[TAKEN:.*]] = arith.ori %[[FIRST]], %[[TIE]] : i1
// CHECK:           %[[R:.*]] = arith.select %[[TAKEN]], %[[A]], %[[B]] : f32
// CHECK:           %[[S:.*]] = arith.select %[[TAKEN]], %[[I]], %[[J]] : i32
// CHECK:           tt.reduce.return %[[R]], %[[S]]
tt.func @argmax_passes_over_nan(%x: tensor<64xf32>, %at: tensor<64xi32>) -> (f32, i32) {
  %m:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %equal = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %equal, %before : i1
    %gt = arith.cmpf ogt, %a, %b : f32
    %taken = arith.ori %gt, %tie : i1
    %r = arith.select %taken, %a, %b : f32
    %s = arith.select %taken, %i, %j : i32
    tt.reduce.return %r, %s : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tt.return %m#0, %m#1 : f32, i32
}

// A search for the smallest element without a tie break.

// CHECK-LABEL: tt.func @argmin_of_any
// CHECK:           %[[FURTHER:.*]] = arith.cmpf olt, %[[A:.*]], %[[B:.*]] : f64
// CHECK:           %[[ALONE:.*]] = arith.andi
// CHECK:           %[[TAKEN:.*]] = arith.ori %[[FURTHER]], %[[ALONE]] : i1
// CHECK:           arith.select %[[TAKEN]], %[[A]], %[[B]] : f64
tt.func @argmin_of_any(%x: tensor<64xf64>, %at: tensor<64xi32>) -> (f64, i32) {
  %m:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
  ^bb0(%a: f64, %i: i32, %b: f64, %j: i32):
    %lt = arith.cmpf olt, %a, %b : f64
    %r = arith.select %lt, %a, %b : f64
    %s = arith.select %lt, %i, %j : i32
    tt.reduce.return %r, %s : f64, i32
  }) : (tensor<64xf64>, tensor<64xi32>) -> (f64, i32)
  tt.return %m#0, %m#1 : f64, i32
}

// A region that propagates NaN, another selection of the index, and integers are unchanged.

// CHECK-LABEL: tt.func @other_searches
// CHECK-NOT:     arith.cmpf une
// CHECK:         tt.return
tt.func @other_searches(%x: tensor<64xf32>, %n: tensor<64xi32>, %at: tensor<64xi32>) -> (i32, i32, i32) {
  %m:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ugt, %a, %b : f32
    %r = arith.select %gt, %a, %b : f32
    %s = arith.select %gt, %i, %j : i32
    tt.reduce.return %r, %s : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  %k:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %r = arith.select %gt, %a, %b : f32
    %s = arith.addi %i, %j : i32
    tt.reduce.return %r, %s : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  %l:2 = "tt.reduce"(%n, %at) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %i: i32, %b: i32, %j: i32):
    %gt = arith.cmpi sgt, %a, %b : i32
    %r = arith.select %gt, %a, %b : i32
    %s = arith.select %gt, %i, %j : i32
    tt.reduce.return %r, %s : i32, i32
  }) : (tensor<64xi32>, tensor<64xi32>) -> (i32, i32)
  tt.return %m#1, %k#1, %l#1 : i32, i32, i32
}
