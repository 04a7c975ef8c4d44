// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @making
tt.func @making(%x: f32, %p: !tt.ptr<i8>, %one: tensor<1x1xf32>) {
  // CHECK-NEXT: tt.make_range {end = 96 : i32, start = 32 : i32} : tensor<64xi32>
  %0 = tt.make_range {end = 96 : i32, start = 32 : i32} : tensor<64xi32>
  // CHECK-NEXT: tt.splat %{{.*}} : f32 -> tensor<16x64xf32>
  %1 = tt.splat %x : f32 -> tensor<16x64xf32>
  // CHECK-NEXT: tt.splat %{{.*}} : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %2 = tt.splat %p : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  // CHECK-NEXT: tt.unsplat %{{.*}} : tensor<1x1xf32>
  %3 = tt.unsplat %one : tensor<1x1xf32>
  tt.return
}

// CHECK-LABEL: tt.func @reshaping
tt.func @reshaping(%a: tensor<16xi32>, %b: tensor<16x1xi32>, %c: tensor<16x64x!tt.ptr<f32>>) {
  // CHECK-NEXT: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK-NEXT: tt.broadcast %{{.*}} : tensor<16x1xi32> -> tensor<16x64xi32>
  %1 = tt.broadcast %b : tensor<16x1xi32> -> tensor<16x64xi32>
  // CHECK-NEXT: tt.reshape %{{.*}} : tensor<16xi32> -> tensor<4x4xi32>
  %2 = tt.reshape %a : tensor<16xi32> -> tensor<4x4xi32>
  // CHECK-NEXT: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<16xi32> -> tensor<2x8xi32>
  %3 = tt.reshape %a allow_reorder efficient_layout : tensor<16xi32> -> tensor<2x8xi32>
  // CHECK-NEXT: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<16x64x!tt.ptr<f32>> -> tensor<64x16x!tt.ptr<f32>>
  %4 = tt.trans %c {order = array<i32: 1, 0>} : tensor<16x64x!tt.ptr<f32>> -> tensor<64x16x!tt.ptr<f32>>
  // CHECK-NEXT: %[[J:.*]] = tt.join %{{.*}}, %{{.*}} : tensor<16xi32> -> tensor<16x2xi32>
  %5 = tt.join %a, %a : tensor<16xi32> -> tensor<16x2xi32>
  // CHECK-NEXT: tt.split %[[J]] : tensor<16x2xi32> -> tensor<16xi32>
  %6, %7 = tt.split %5 : tensor<16x2xi32> -> tensor<16xi32>
  // CHECK-NEXT: tt.cat %{{.*}}, %{{.*}} : tensor<16xi32> -> tensor<32xi32>
  %8 = tt.cat %a, %a : tensor<16xi32> -> tensor<32xi32>
  tt.return
}

// CHECK-LABEL: tt.func @splat_of_no_dimensions
tt.func @splat_of_no_dimensions(%x: tensor<f32>, %p: tensor<!tt.ptr<f32>>) {
  // CHECK-NEXT: tt.splat %{{.*}} : tensor<f32> -> tensor<8x8xf32>
  %0 = tt.splat %x : tensor<f32> -> tensor<8x8xf32>
  // CHECK-NEXT: tt.splat %{{.*}} : tensor<!tt.ptr<f32>> -> tensor<8x!tt.ptr<f32>>
  %1 = tt.splat %p : tensor<!tt.ptr<f32>> -> tensor<8x!tt.ptr<f32>>
  tt.return
}
