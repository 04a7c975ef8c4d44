// RUN: blockdsl-opt %s -tensor-cse | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Equal masks, whose bounds are equal only after two additions are merged, and gathers of one block by equal indices.
// CHECK-LABEL:      tt.func @equal
// CHECK-COUNT-1:      arith.addi %{{.*}}, %{{.*}} : index
// CHECK:              %[[MASK:.*]] = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8xi1>)
// CHECK-COUNT-1:      tensor.extract
// CHECK-NOT:          linalg.generic
// CHECK:              tt.return %[[MASK]], %[[MASK]], %[[X:.*]], %[[X]]
tt.func @equal(%n: index, %x: tensor<8xf32>, %at: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xi1>
  %f = tensor.empty() : tensor<8xf32>
  %a = arith.addi %n, %n : index
  %b = arith.addi %n, %n : index
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<8xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %a : index
    linalg.yield %c : i1
  } -> tensor<8xi1>
  %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<8xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %b : index
    linalg.yield %c : i1
  } -> tensor<8xi1>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%at : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_castui %in : i32 to index
    %v = tensor.extract %x[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%at : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_castui %in : i32 to index
    %v = tensor.extract %x[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  tt.return %0, %1, %2, %3 : tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>
}

// Gathers of two blocks are not merged.
// CHECK-LABEL:   tt.func @different
// CHECK-COUNT-2:   tensor.extract
tt.func @different(%x: tensor<8xf32>, %y: tensor<8xf32>, %at: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %f = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%at : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_castui %in : i32 to index
    %v = tensor.extract %x[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%at : tensor<8xi32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_castui %in : i32 to index
    %v = tensor.extract %y[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  tt.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
