// RUN: blockdsl-opt %s -tt-unpack-scaled-products -split-input-file -verify-diagnostics | FileCheck %s

// Two elements of a byte become neighbors; a scale is broadcast to its elements.
// CHECK-LABEL: tt.func @scaled
// CHECK:       arith.shrui %{{.*}}, %{{.*}} : tensor<16x32xi8>
// CHECK:       tt.join %{{.*}}, %{{.*}} : tensor<16x32xf32> -> tensor<16x32x2xf32>
// CHECK:       tt.reshape %{{.*}} : tensor<16x32x2xf32> -> tensor<16x64xf32>
// CHECK:       arith.shli %{{.*}}, %{{.*}} : tensor<16x2xi32>
// CHECK:       arith.bitcast %{{.*}} : tensor<16x2xi32> to tensor<16x2xf32>
// CHECK:       tt.broadcast %{{.*}} : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
// CHECK:       %[[LEFT:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<16x64xf32>
// CHECK:       %[[RIGHT:.*]] = arith.extf %{{.*}} : tensor<64x16xbf16> to tensor<64x16xf32>
// CHECK:       tt.dot %[[LEFT]], %[[RIGHT]], %{{.*}} : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>
tt.func @scaled(%a: tensor<16x32xi8>, %s: tensor<16x2xi8>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

tt.func @unused_format(%a: tensor<16x64xi8>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op has no form on the CPU for elements of e2m3}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = bf16 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}
