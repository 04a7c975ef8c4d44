// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tt.func(test-masked-off-values))'

tt.func @other_of_a_load(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %f: tensor<8xf32>) -> tensor<8xf32> {
  %other = arith.constant dense<2.0> : tensor<8xf32>
  // expected-remark @below {{where %arg1 is false holds 2.000000e+00 : f32}}
  %x = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>} }
      ins(%p, %m, %other : tensor<8x!tt.ptr<f32>>, tensor<8xi1>, tensor<8xf32>) outs(%f : tensor<8xf32>)
  // expected-remark @below {{where %arg1 is false holds 4.000000e+00 : f32}}
  %y = linalg.map { arith.mulf } ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>)
  tt.return %y : tensor<8xf32>
}

// -----

tt.func @load_without_other_is_zero(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %f: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{where %arg1 is false holds 0.000000e+00 : f32}}
  %x = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>} }
      ins(%p, %m : tensor<8x!tt.ptr<f32>>, tensor<8xi1>) outs(%f : tensor<8xf32>)
  tt.return %x : tensor<8xf32>
}

// -----

tt.func @other_is_no_constant(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>, %f: tensor<8xf32>)
    -> tensor<8xf32> {
  // expected-remark @below {{where %arg1 is false holds no constant}}
  %x = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>} }
      ins(%p, %m, %o : tensor<8x!tt.ptr<f32>>, tensor<8xi1>, tensor<8xf32>) outs(%f : tensor<8xf32>)
  tt.return %x : tensor<8xf32>
}

// -----

#reversed = affine_map<(d0) -> (7 - d0)>
#id = affine_map<(d0) -> (d0)>

// The mask does not apply to the element at another index.
tt.func @element_at_another_index(%m: tensor<8xi1>, %x: tensor<8xf32>, %f: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @below {{where %arg0 is false holds 0.000000e+00 : f32}}
  %y = linalg.map { arith.select } ins(%m, %x, %zero : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
      outs(%f : tensor<8xf32>)
  // expected-remark @below {{where %arg0 is false holds no constant}}
  %z = linalg.generic {indexing_maps = [#reversed, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8xf32>
  tt.return %z : tensor<8xf32>
}
