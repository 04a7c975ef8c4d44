// RUN: blockdsl-opt %s -tt-pad-products=version=3.9 | FileCheck %s --check-prefixes=CHECK,LATE
// RUN: blockdsl-opt %s -tt-pad-products=version=3.8 | FileCheck %s --check-prefixes=CHECK,LATE
// RUN: blockdsl-opt %s -tt-pad-products=version=3.7 | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: blockdsl-opt %s -tt-pad-products=version=3.6 | FileCheck %s --check-prefixes=CHECK,EARLY

// CHECK-LABEL: tt.func @twice
// CHECK-SAME:    %[[A:[^:]*]]: tensor<16x8xf16>, %[[B:[^:]*]]: tensor<8x32xf16>, %[[C:[^:]*]]: tensor<16x32xf32>
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf16>
// CHECK:         %[[PAIRS:.*]] = tt.join %[[A]], %[[ZEROS]]
// CHECK:         %[[ROWS:.*]] = tt.trans %[[PAIRS]] {order = array<i32: 0, 1, 2>}
// CHECK:         %[[LHS:.*]] = tt.reshape %[[ROWS]] : tensor<16x8x2xf16> -> tensor<16x16xf16>
// CHECK:         %[[PAIRS:.*]] = tt.join %[[B]], %{{.*}} : tensor<8x32xf16> -> tensor<8x32x2xf16>
// CHECK:         %[[ROWS:.*]] = tt.trans %[[PAIRS]] {order = array<i32: 0, 2, 1>} : {{.*}} -> tensor<8x2x32xf16>
// CHECK:         %[[RHS:.*]] = tt.reshape %[[ROWS]] : tensor<8x2x32xf16> -> tensor<16x32xf16>
// CHECK:         tt.dot %[[LHS]], %[[RHS]], %[[C]], inputPrecision = tf32 {maxNumImpreciseAcc = 7 : i32}
tt.func @twice(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 7 : i32}
      : tensor<16x8xf16> * tensor<8x32xf16> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// CHECK-LABEL: tt.func @one_byte_becomes_32
// CHECK-COUNT-10: tt.join
// CHECK-NOT:     tt.join
// CHECK:         tt.dot {{.*}} : tensor<2x1x32xi8> * tensor<2x32x1xi8> -> tensor<2x1x1xi32>
tt.func @one_byte_becomes_32(%a: tensor<2x1x1xi8>, %c: tensor<2x1x1xi32>) -> tensor<2x1x1xi32> {
  %d = tt.dot %a, %a, %c : tensor<2x1x1xi8> * tensor<2x1x1xi8> -> tensor<2x1x1xi32>
  tt.return %d : tensor<2x1x1xi32>
}

// CHECK-LABEL: tt.func @versions_differ
// LATE-NOT:      tt.join
// EARLY-COUNT-2: tt.join
// CHECK:         tt.dot
tt.func @versions_differ(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x8xf32> * tensor<8x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @no_matrix_unit_takes_part
// CHECK-NOT:     tt.join
// CHECK:         tt.dot
tt.func @no_matrix_unit_takes_part(%a: tensor<16x1xf32>, %b: tensor<1x16xf32>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x1xf32> * tensor<1x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
