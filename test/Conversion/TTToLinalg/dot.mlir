// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func @dot_accumulates_into_acc
// CHECK-SAME:    %[[A:.*]]: tensor<16x8xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[C:.*]]: tensor<16x4xf32>
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}})
tt.func @dot_accumulates_into_acc(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  tt.return %d : tensor<16x4xf32>
}

// CHECK-LABEL: tt.func @dot_of_batches
// CHECK:         linalg.batch_matmul
tt.func @dot_of_batches(%a: tensor<2x16x8xf16>, %b: tensor<2x8x4xf16>, %c: tensor<2x16x4xf32>) -> tensor<2x16x4xf32> {
  %d = tt.dot %a, %b, %c : tensor<2x16x8xf16> * tensor<2x8x4xf16> -> tensor<2x16x4xf32>
  tt.return %d : tensor<2x16x4xf32>
}
