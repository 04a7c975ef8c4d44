// RUN: blockdsl-opt %s -triton-reorder-broadcast | FileCheck %s

// CHECK-LABEL: tt.func @number_repeated
// CHECK-SAME: (%[[A:.*]]: f32, %[[N:.*]]: i64)
tt.func @number_repeated(%a: f32, %n: i64) -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) {
  %two = arith.constant dense<2.0> : tensor<64xf32>
  // CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[TWO]] : f32
  // CHECK: tt.splat %[[SUM]] : f32 -> tensor<64xf32>
  %x = tt.splat %a : f32 -> tensor<64xf32>
  %y = arith.addf %two, %x : tensor<64xf32>
  // CHECK: %[[P:.*]] = tt.int_to_ptr %[[N]] : i64 -> !tt.ptr<f32>
  // CHECK: tt.splat %[[P]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %m = tt.splat %n : i64 -> tensor<64xi64>
  %p = tt.int_to_ptr %m : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
  tt.return %y, %p : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: tt.func @rows_repeated
// CHECK-SAME: (%[[ROW:.*]]: tensor<1x64xf32>, %[[A:.*]]: f32)
tt.func @rows_repeated(%row: tensor<1x64xf32>, %a: f32) -> tensor<16x64xf32> {
  %three = arith.constant dense<3.0> : tensor<16x64xf32>
  // CHECK-DAG: %[[THREE:.*]] = arith.constant dense<3.000000e+00> : tensor<1x64xf32>
  // CHECK-DAG: %[[AS:.*]] = tt.splat %[[A]] : f32 -> tensor<1x64xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[ROW]], %[[AS]] : tensor<1x64xf32>
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[PRODUCT]], %[[THREE]] : tensor<1x64xf32>
  // CHECK: %[[CHOSEN:.*]] = arith.select %[[LESS]], %[[PRODUCT]], %[[ROW]] : tensor<1x64xi1>, tensor<1x64xf32>
  // CHECK: tt.broadcast %[[CHOSEN]] : tensor<1x64xf32> -> tensor<16x64xf32>
  %rows = tt.broadcast %row : tensor<1x64xf32> -> tensor<16x64xf32>
  %as = tt.splat %a : f32 -> tensor<16x64xf32>
  %product = arith.mulf %rows, %as : tensor<16x64xf32>
  %less = arith.cmpf olt, %product, %three : tensor<16x64xf32>
  %chosen = arith.select %less, %product, %rows : tensor<16x64xi1>, tensor<16x64xf32>
  tt.return %chosen : tensor<16x64xf32>
}

// Assembly on single elements is reordered; with four elements in a register it is not.
// CHECK-LABEL: tt.func @assembly_repeated
tt.func @assembly_repeated(%a: i8) -> (tensor<64xi8>, tensor<64xi8>) {
  %x = tt.splat %a : i8 -> tensor<64xi8>
  // CHECK: tt.elementwise_inline_asm {{.*}} : i8 -> i8
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi8> -> tensor<64xi8>
  // CHECK: tt.elementwise_inline_asm {{.*}} : tensor<64xi8> -> tensor<64xi8>
  %1 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<64xi8> -> tensor<64xi8>
  tt.return %0, %1 : tensor<64xi8>, tensor<64xi8>
}

// A uniform condition is a scalar.
// CHECK-LABEL: tt.func @choice_of_repeated
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<64xf32>
tt.func @choice_of_repeated(%c: i1, %a: f32, %b: f32) -> tensor<64xf32> {
  %x = tt.splat %a : f32 -> tensor<64xf32>
  %y = tt.splat %b : f32 -> tensor<64xf32>
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  tt.return %0 : tensor<64xf32>
}

// Not reordered: an op on broadcast rows and columns together, and ops with side effects.
// CHECK-LABEL: tt.func @left_alone
tt.func @left_alone(%row: tensor<1x64xf32>, %column: tensor<16x1xf32>, %a: f32) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %rows = tt.broadcast %row : tensor<1x64xf32> -> tensor<16x64xf32>
  %columns = tt.broadcast %column : tensor<16x1xf32> -> tensor<16x64xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<16x64xf32>
  %0 = arith.addf %rows, %columns : tensor<16x64xf32>
  // CHECK: tt.extern_elementwise %{{.*}} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %1 = tt.extern_elementwise %rows {libname = "", libpath = "", pure = false, symbol = "f"} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  tt.return %0, %1 : tensor<16x64xf32>, tensor<16x64xf32>
}
