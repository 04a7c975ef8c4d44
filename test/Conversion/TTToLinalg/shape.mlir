// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s
// Shape ops become index maps, which move no data.

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0) -> (d0, 1)>

// CHECK-LABEL: tt.func @splat_is_a_fill
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         linalg.fill ins(%[[X]] : f32)
tt.func @splat_is_a_fill(%x: f32) -> tensor<8x4xf32> {
  %y = tt.splat %x : f32 -> tensor<8x4xf32>
  tt.return %y : tensor<8x4xf32>
}

// CHECK-LABEL: tt.func @broadcast_reads_element_zero
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]]
tt.func @broadcast_reads_element_zero(%x: tensor<8x1xf32>) -> tensor<8x4xf32> {
  %y = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %y : tensor<8x4xf32>
}

// CHECK-LABEL: tt.func @expand_dims
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [8, 1]
tt.func @expand_dims(%x: tensor<8xf32>) -> tensor<8x1xf32> {
  %y = tt.expand_dims %x {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return %y : tensor<8x1xf32>
}

// Reshapes that neither merge nor split dimensions go through one dimension.
// CHECK-LABEL: tt.func @reshape_across_dimensions
// CHECK:         %[[LINE:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
// CHECK:         tensor.expand_shape %[[LINE]] {{\[}}[0, 1]] output_shape [2, 16]
tt.func @reshape_across_dimensions(%x: tensor<8x4xf32>) -> tensor<2x16xf32> {
  %y = tt.reshape %x : tensor<8x4xf32> -> tensor<2x16xf32>
  tt.return %y : tensor<2x16xf32>
}

// CHECK-LABEL: tt.func @trans
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<8x4xf32>) outs(%{{.*}} : tensor<4x8xf32>) permutation = [1, 0]
tt.func @trans(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return %y : tensor<4x8xf32>
}

// CHECK-LABEL: tt.func @join_chooses_by_the_last_index
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
// CHECK:           arith.select
tt.func @join_chooses_by_the_last_index(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8x2xf32> {
  %z = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  tt.return %z : tensor<8x2xf32>
}

// CHECK-LABEL: tt.func @split_is_two_views
// CHECK:         linalg.generic {indexing_maps = [#[[FIRST]]
// CHECK:         linalg.generic {indexing_maps = [#[[SECOND]]
tt.func @split_is_two_views(%x: tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y, %z = tt.split %x : tensor<8x2xf32> -> tensor<8xf32>
  tt.return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: tt.func @cat_keeps_order
// CHECK:         linalg.generic
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0]
// CHECK:         tensor.collapse_shape {{.*}} into tensor<16xf32>
tt.func @cat_keeps_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<16xf32> {
  %z = tt.cat %x, %y : tensor<8xf32> -> tensor<16xf32>
  tt.return %z : tensor<16xf32>
}

// CHECK-LABEL: tt.func @unsplat
// CHECK:         tensor.extract %{{.*}}[%c0] : tensor<1xf32>
tt.func @unsplat(%x: tensor<1xf32>) -> f32 {
  %y = tt.unsplat %x : tensor<1xf32>
  tt.return %y : f32
}
