// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @reduce_to_block_and_scalar
tt.func @reduce_to_block_and_scalar(%x: tensor<16x64xf32>) -> f32 {
  // CHECK-NEXT: %[[ROWS:.*]] = "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT:   tt.reduce.return %[[C]] : f32
  // CHECK-NEXT: }) : (tensor<16x64xf32>) -> tensor<16xf32>
  %rows = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  // CHECK-NEXT: "tt.reduce"(%[[ROWS]]) <{axis = 0 : i32}> ({
  %all = "tt.reduce"(%rows) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  // CHECK: }) : (tensor<16xf32>) -> f32
  }) : (tensor<16xf32>) -> f32
  tt.return %all : f32
}

// CHECK-LABEL: tt.func @reduce_of_two
tt.func @reduce_of_two(%x: tensor<64xf32>, %i: tensor<64xi32>) {
  // CHECK-NEXT: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  %best:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %greater = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %greater, %a, %b : f32
    %ci = arith.select %greater, %ai, %bi : i32
    // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
    tt.reduce.return %c, %ci : f32, i32
  // CHECK-NEXT: }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tt.return
}

// CHECK-LABEL: tt.func @scan
tt.func @scan(%x: tensor<16x64xf32>) {
  // CHECK-NEXT: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = true}> ({
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    // CHECK: tt.scan.return %{{.*}} : f32
    tt.scan.return %c : f32
  // CHECK-NEXT: }) : (tensor<16x64xf32>) -> tensor<16x64xf32>
  }) : (tensor<16x64xf32>) -> tensor<16x64xf32>
  tt.return
}

// CHECK-LABEL: tt.func @histograms
tt.func @histograms(%x: tensor<64xi32>, %m: tensor<64xi1>) {
  // CHECK-NEXT: tt.histogram %{{.*}} : tensor<64xi32> -> tensor<16xi32>
  %0 = tt.histogram %x : tensor<64xi32> -> tensor<16xi32>
  // CHECK-NEXT: tt.histogram %{{.*}}, %{{.*}} : tensor<64xi32> -> tensor<128xi64>
  %1 = tt.histogram %x, %m : tensor<64xi32> -> tensor<128xi64>
  tt.return
}

// CHECK-LABEL: tt.func @gathers
tt.func @gathers(%x: tensor<64x4xf32>, %i: tensor<16x4xi32>) {
  // CHECK-NEXT: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<64x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  // CHECK-NEXT: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32, efficient_layout} : (tensor<64x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  %1 = tt.gather %x[%i] {axis = 0 : i32, efficient_layout} : (tensor<64x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
  tt.return
}
