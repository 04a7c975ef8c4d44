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
