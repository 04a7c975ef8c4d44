// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @dot_of_matrices
tt.func @dot_of_matrices(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) {
  // ieee is the default precision.
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

// CHECK-LABEL: tt.func @dot_of_scaled_factors
tt.func @dot_of_scaled_factors(%a: tensor<2x16x32xi8>, %s: tensor<2x16x2xi8>, %b: tensor<2x64x8xi8>, %t: tensor<2x16x4xf8E4M3FN>, %c: tensor<2x16x16xf32>, %x: tensor<16x64xf8E4M3FN>, %y: tensor<64x16xbf16>, %z: tensor<16x16xf32>) {
  // CHECK-NEXT: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e2m1 {fastMath = true, rhs_k_pack = false} : tensor<2x16x32xi8>, tensor<2x16x2xi8> * tensor<2x64x8xi8>, tensor<2x16x4xf8E4M3FN> -> tensor<2x16x16xf32>
  %0 = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = true, rhs_k_pack = false} : tensor<2x16x32xi8>, tensor<2x16x2xi8> * tensor<2x64x8xi8>, tensor<2x16x4xf8E4M3FN> -> tensor<2x16x16xf32>
  // CHECK-NEXT: tt.dot_scaled %{{.*}}, %{{.*}}, %{{.*}} lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xbf16> -> tensor<16x16xf32>
  %1 = tt.dot_scaled %x, %y, %z lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}
