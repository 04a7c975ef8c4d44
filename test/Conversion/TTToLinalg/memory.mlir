// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s
// Loads and stores of blocks are scalar ones inside linalg bodies; scalar ones stay as they are.

// CHECK-LABEL: tt.func @load_with_mask_and_other
// CHECK:         linalg.map { tt.load {{.*}}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi1>, tensor<64xf32>)
tt.func @load_with_mask_and_other(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %x = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  tt.return %x : tensor<64xf32>
}

// CHECK-LABEL: tt.func @store_has_no_result
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xf32>) {
// CHECK-NEXT:    ^bb0(%[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32):
// CHECK-NEXT:      tt.store %[[P]], %[[X]] : !tt.ptr<f32>
// CHECK-NEXT:      linalg.yield
tt.func @store_has_no_result(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) {
  tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @scalar_access
// CHECK-NEXT:    %[[X:.*]] = tt.load %{{.*}} : !tt.ptr<f32>
// CHECK-NEXT:    tt.store %{{.*}}, %[[X]] : !tt.ptr<f32>
tt.func @scalar_access(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %x = tt.load %p : !tt.ptr<f32>
  tt.store %q, %x : !tt.ptr<f32>
  tt.return
}
