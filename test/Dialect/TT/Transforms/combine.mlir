// RUN: blockdsl-opt %s -triton-combine -canonicalize | FileCheck %s

// CHECK-LABEL: tt.func @sum_of_a_product_and_a_block
// CHECK-SAME: (%[[A:.*]]: tensor<16x16xf32>, %[[B:.*]]: tensor<16x16xf32>)
tt.func @sum_of_a_product_and_a_block(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: %[[C:.*]] = math.absf
  %c = math.absf %a : tensor<16x16xf32>
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
  // CHECK-NEXT: tt.return %[[D]]
  %e = arith.addf %c, %d : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @product_of_integers
tt.func @product_of_integers(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %arg2
  // CHECK-NEXT: tt.return
  %d = tt.dot %a, %b, %zero : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %e = arith.addi %d, %c : tensor<16x16xi32>
  tt.return %e : tensor<16x16xi32>
}

// CHECK-LABEL: tt.func @scaled_product
tt.func @scaled_product(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK-NEXT: tt.dot_scaled %arg0, %arg1, %arg2
  // CHECK-NEXT: tt.return
  %d = tt.dot_scaled %a, %b, %zero lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %e = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

// A product with other uses would be computed twice.
// CHECK-LABEL: tt.func @product_with_two_uses
tt.func @product_with_two_uses(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: arith.addf
  %e = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %d, %e : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @choice_by_the_mask_of_a_load
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[C:.*]]: i1, %[[Y:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>)
tt.func @choice_by_the_mask_of_a_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %y: tensor<8xf32>, %m: tensor<8xi1>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[ALL:.*]] = tt.splat %[[C]]
  %all = tt.splat %c : i1 -> tensor<8xi1>
  // CHECK: tt.load %[[P]], %[[ALL]], %[[Y]]
  %0 = tt.load %p, %all : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %c, %0, %y : tensor<8xf32>
  // CHECK: tt.load %[[P]], %[[M]] :
  // CHECK: arith.select %[[M]]
  %2 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %m, %2, %y : tensor<8xi1>, tensor<8xf32>
  // CHECK: arith.select %[[C]]
  %4 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %5 = arith.select %c, %4, %y : tensor<8xf32>
  tt.return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The combined load stays before the store. Another value that is defined after the load is not combined with it.
// CHECK-LABEL: tt.func @load_that_stays
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[C:.*]]: i1, %[[Y:.*]]: tensor<8xf32>)
tt.func @load_that_stays(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: tt.load %[[P]], %{{.*}}, %[[Y]]
  %all = tt.splat %c : i1 -> tensor<8xi1>
  %0 = tt.load %p, %all : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %[[P]], %{{[^,]*}} :
  %1 = tt.load %p, %all : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store
  tt.store %p, %y : tensor<8x!tt.ptr<f32>>
  %2 = arith.select %c, %0, %y : tensor<8xf32>
  %late = math.exp %y : tensor<8xf32>
  // CHECK: arith.select %[[C]]
  %3 = arith.select %c, %1, %late : tensor<8xf32>
  tt.return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: tt.func @address_moved_twice
tt.func @address_moved_twice(%p: !tt.ptr<f32>, %m: i64, %n: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) {
  %c10 = arith.constant 10 : i32
  %c15 = arith.constant 15 : i32
  %c100 = arith.constant 100 : i8
  // CHECK: %[[SUM:.*]] = arith.constant 25 : i32
  // CHECK: tt.addptr %arg0, %[[SUM]] {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i32
  %0 = tt.addptr %p, %c10 : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %c15 {tt.divisibility = 16 : i32, tt.other} : !tt.ptr<f32>, i32
  // An offset of 64 bits wraps like the address.
  // CHECK: %[[WIDE:.*]] = arith.addi %arg1, %arg1 : i64
  // CHECK: tt.addptr %arg0, %[[WIDE]] : !tt.ptr<f32>, i64
  %2 = tt.addptr %p, %m : !tt.ptr<f32>, i64
  %3 = tt.addptr %2, %m : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %arg0, %arg2 : !tt.ptr<f32>, i32
  // CHECK-NEXT: tt.addptr %{{.*}}, %arg2 : !tt.ptr<f32>, i32
  %4 = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %5 = tt.addptr %4, %n : !tt.ptr<f32>, i32
  // 200 does not fit i8.
  // CHECK: tt.addptr %arg0, %c100_i8 : !tt.ptr<f32>, i8
  // CHECK-NEXT: tt.addptr %{{.*}}, %c100_i8 : !tt.ptr<f32>, i8
  %6 = tt.addptr %p, %c100 : !tt.ptr<f32>, i8
  %7 = tt.addptr %6, %c100 : !tt.ptr<f32>, i8
  tt.return %1, %3, %5, %7 : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
}

// CHECK-LABEL: tt.func @product_that_is_spelled_as_a_sum
// CHECK-SAME: (%[[X:.*]]: tensor<16x32xf32>, %[[Y:.*]]: tensor<32x64xf32>)
tt.func @product_that_is_spelled_as_a_sum(%x: tensor<16x32xf32>, %y: tensor<32x64xf32>) -> tensor<16x64xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
  // CHECK: tt.dot %[[X]], %[[Y]], %[[ZERO]] : tensor<16x32xf32> * tensor<32x64xf32> -> tensor<16x64xf32>
  // CHECK-NOT: tt.reduce
  %x3 = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %y3 = tt.expand_dims %y {axis = 0 : i32} : tensor<32x64xf32> -> tensor<1x32x64xf32>
  %xs = tt.broadcast %x3 : tensor<16x32x1xf32> -> tensor<16x32x64xf32>
  %ys = tt.broadcast %y3 : tensor<1x32x64xf32> -> tensor<16x32x64xf32>
  %products = arith.mulf %xs, %ys : tensor<16x32x64xf32>
  %sum = "tt.reduce"(%products) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x64xf32>) -> tensor<16x64xf32>
  tt.return %sum : tensor<16x64xf32>
}

// CHECK-LABEL: tt.func @product_too_small
// CHECK: tt.reduce
tt.func @product_too_small(%x: tensor<8x32x1xf32>, %y: tensor<1x32x16xf32>) -> tensor<8x16xf32> {
  %xs = tt.broadcast %x : tensor<8x32x1xf32> -> tensor<8x32x16xf32>
  %ys = tt.broadcast %y : tensor<1x32x16xf32> -> tensor<8x32x16xf32>
  %products = arith.mulf %xs, %ys : tensor<8x32x16xf32>
  %sum = "tt.reduce"(%products) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x32x16xf32>) -> tensor<8x16xf32>
  tt.return %sum : tensor<8x16xf32>
}

// CHECK-LABEL: tt.func @order_that_does_not_matter
// CHECK: tt.reshape %{{.*}} allow_reorder : tensor<16x4xi32> -> tensor<64xi32>
// CHECK: tt.reshape %{{.*}} : tensor<16x4xi32> -> tensor<64xi32>
// CHECK: tt.histogram %{{.*}}, %{{.*}} :
tt.func @order_that_does_not_matter(%x: tensor<16x4xi32>, %y: tensor<16x4xi32>, %m: tensor<64xi1>) -> (tensor<16xi32>, tensor<16xi32>) {
  %0 = tt.reshape %x : tensor<16x4xi32> -> tensor<64xi32>
  %1 = tt.histogram %0 : tensor<64xi32> -> tensor<16xi32>
  %2 = tt.reshape %y : tensor<16x4xi32> -> tensor<64xi32>
  %3 = tt.histogram %2, %m : tensor<64xi32> -> tensor<16xi32>
  tt.return %1, %3 : tensor<16xi32>, tensor<16xi32>
}

// CHECK-LABEL: tt.func @load_of_fewer_dimensions
// CHECK: tt.descriptor_load %{{.*}} : !tt.tensordesc<1x8x4xf32> -> tensor<8x4xf32>
// CHECK: %[[Y:.*]] = tt.descriptor_load %{{.*}} : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
// CHECK: tt.reshape %[[Y]] : tensor<1x8x4xf32> -> tensor<4x8xf32>
tt.func @load_of_fewer_dimensions(%d: !tt.tensordesc<1x8x4xf32>, %i: i32) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
  %1 = tt.reshape %0 : tensor<1x8x4xf32> -> tensor<8x4xf32>
  %2 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
  %3 = tt.reshape %2 : tensor<1x8x4xf32> -> tensor<4x8xf32>
  tt.return %1, %3 : tensor<8x4xf32>, tensor<4x8xf32>
}
