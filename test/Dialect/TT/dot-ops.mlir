// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @dot_of_matrices
tt.func @dot_of_matrices(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) {
  // ieee is what nothing means.
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  %0 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  tt.return
}

// CHECK-LABEL: tt.func @dot_of_batches
tt.func @dot_of_batches(%a: tensor<2x16x8xi8>, %b: tensor<2x8x4xi8>, %c: tensor<2x16x4xi32>) {
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xi8> * tensor<2x8x4xi8> -> tensor<2x16x4xi32>
  %0 = tt.dot %a, %b, %c : tensor<2x16x8xi8> * tensor<2x8x4xi8> -> tensor<2x16x4xi32>
  tt.return
}

// CHECK-LABEL: tt.func @dot_of_mixed_8_bit_floats
tt.func @dot_of_mixed_8_bit_floats(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>) {
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf8E5M2> * tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf8E5M2> * tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}
