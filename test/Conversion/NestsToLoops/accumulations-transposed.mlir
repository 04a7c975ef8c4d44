// RUN: blockdsl-opt %s --blockdsl-linalg-to-loops | FileCheck %s

// A matmul stored through a transposing map, which no kernel in tt form has: the tiles are stored after the loop.
// CHECK-LABEL: func.func @stored_by_a_turned_map
// CHECK-SAME:    %{{[^:]*}}: {{[^,]*}}, %[[C:[^:]*]]: !llvm.ptr
// CHECK-NOT:     getelementptr %[[C]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NOT:     getelementptr %[[C]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         llvm.getelementptr %[[C]]
// CHECK:         return
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (0, d1)>
#map4 = affine_map<(d0, d1) -> (d1, d0)>
tt.func @stored_by_a_turned_map(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32> {blockdsl.written}) {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_0 = arith.constant dense<64> : tensor<64x1xi32>
  %0 = tensor.empty() : tensor<64xi32>
  %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
  ^bb0(%out: i32):
    %11 = linalg.index 0 : index
    %12 = arith.index_cast %11 : index to i32
    linalg.yield %12 : i32
  } -> tensor<64xi32>
  %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [64, 1] : tensor<64xi32> into tensor<64x1xi32>
  %2 = tensor.empty() : tensor<64x1xi32>
  %mapped = linalg.map { arith.muli {overflowFlags = #arith.overflow<none>} } ins(%expanded, %cst_0 : tensor<64x1xi32>, tensor<64x1xi32>) outs(%2 : tensor<64x1xi32>)
  %3 = tensor.empty() : tensor<64x64xi32>
  %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%mapped : tensor<64x1xi32>) outs(%3 : tensor<64x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<64x64xi32>
  %expanded_1 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 64] : tensor<64xi32> into tensor<1x64xi32>
  %5 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%expanded_1 : tensor<1x64xi32>) outs(%3 : tensor<64x64xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<64x64xi32>
  %mapped_2 = linalg.map { arith.addi {overflowFlags = #arith.overflow<none>} } ins(%4, %5 : tensor<64x64xi32>, tensor<64x64xi32>) outs(%3 : tensor<64x64xi32>)
  %6 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
  %7 = linalg.fill ins(%arg0 : !tt.ptr<f32>) outs(%6 : tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64x!tt.ptr<f32>>
  %8 = linalg.fill ins(%arg1 : !tt.ptr<f32>) outs(%6 : tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64x!tt.ptr<f32>>
  %mapped_3 = linalg.map { tt.addptr } ins(%7, %mapped_2 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) outs(%6 : tensor<64x64x!tt.ptr<f32>>)
  %mapped_4 = linalg.map { tt.addptr } ins(%8, %mapped_2 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) outs(%6 : tensor<64x64x!tt.ptr<f32>>)
  %9 = tensor.empty() : tensor<64x64xf32>
  %mapped_5 = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%mapped_3 : tensor<64x64x!tt.ptr<f32>>) outs(%9 : tensor<64x64xf32>)
  %10 = linalg.matmul ins(%mapped_5, %mapped_5 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%cst : tensor<64x64xf32>) -> tensor<64x64xf32>
  linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel"]} ins(%mapped_4, %10 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) {
  ^bb0(%in: !tt.ptr<f32>, %in_6: f32):
    tt.store %in, %in_6 : !tt.ptr<f32>
    linalg.yield
  }
  tt.return
}
