// RUN: blockdsl-opt %s --blockdsl-linalg-to-loops | FileCheck %s

// Two exchanges of one index are two positions of a block.
// CHECK-LABEL: func.func @two_positions
// CHECK:         %[[NEAR:.*]] = vector.shuffle %[[V:.*]], %[[V]] [1, 0, 3, 2,
// CHECK:         %[[FAR:.*]] = vector.shuffle %{{.*}}, %{{.*}} [2, 3, 0, 1,
// CHECK:         arith.subi %[[NEAR]], %[[FAR]]
#map = affine_map<(d0) -> (d0)>
tt.func public @two_positions(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %numbers = tensor.empty() : tensor<256xi32>
  %pointers = tensor.empty() : tensor<256x!tt.ptr<i32>>
  %i = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%numbers : tensor<256xi32>) {
  ^bb0(%out: i32):
    %at = linalg.index 0 : index
    %number = arith.index_cast %at : index to i32
    linalg.yield %number : i32
  } -> tensor<256xi32>
  %xs = linalg.fill ins(%x : !tt.ptr<i32>) outs(%pointers : tensor<256x!tt.ptr<i32>>) -> tensor<256x!tt.ptr<i32>>
  %xp = linalg.map { tt.addptr } ins(%xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>) outs(%pointers : tensor<256x!tt.ptr<i32>>)
  %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%xp : tensor<256x!tt.ptr<i32>>) outs(%numbers : tensor<256xi32>)
  %w = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%numbers : tensor<256xi32>) {
  ^bb0(%out: i32):
    %at = linalg.index 0 : index
    %near = arith.xori %at, %one : index
    %far = arith.xori %at, %two : index
    %a = tensor.extract %v[%near] : tensor<256xi32>
    %b = tensor.extract %v[%far] : tensor<256xi32>
    %difference = arith.subi %a, %b : i32
    linalg.yield %difference : i32
  } -> tensor<256xi32>
  %ys = linalg.fill ins(%y : !tt.ptr<i32>) outs(%pointers : tensor<256x!tt.ptr<i32>>) -> tensor<256x!tt.ptr<i32>>
  %yp = linalg.map { tt.addptr } ins(%ys, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>) outs(%pointers : tensor<256x!tt.ptr<i32>>)
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%yp, %w : tensor<256x!tt.ptr<i32>>, tensor<256xi32>) {
  ^bb0(%to: !tt.ptr<i32>, %value: i32):
    tt.store %to, %value : !tt.ptr<i32>
    linalg.yield
  }
  tt.return
}
