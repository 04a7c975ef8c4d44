// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tt.func(test-emitter-input))'

// expected-error @below {{expects a kernel to return nothing}}
tt.func @kernel_with_a_result() -> i32 {
  %c = arith.constant 1 : i32
  tt.return %c : i32
}

// -----

// expected-error @below {{expects a body with structured control flow}}
tt.func @unstructured_branch(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  tt.return
^b:
  tt.return
}

// -----

tt.func @unstructured_branch_in_a_region(%c: i1) {
  // expected-error @below {{'scf.execute_region' op has no form on the CPU yet}}
  scf.execute_region {
    cf.cond_br %c, ^a, ^b
  ^a:
    scf.yield
  ^b:
    scf.yield
  }
  tt.return
}

// -----

tt.func @elementwise_op_on_blocks(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<4xf32>
  scf.for %i = %zero to %n step %one : i32 {
    // expected-error @below {{'arith.addf' op has no form on the CPU yet}}
    %y = arith.addf %x, %x : tensor<4xf32>
  }
  tt.return
}

// -----

tt.func @block_of_dynamic_size() {
  %n = arith.constant 4 : index
  // expected-error @below {{'tensor.empty' op has no form on the CPU yet}}
  %x = tensor.empty(%n) : tensor<?xf32>
  tt.return
}

// -----

tt.func @constant_of_a_resource() {
  // expected-error @below {{'arith.constant' op has no form on the CPU yet}}
  %x = arith.constant dense_resource<blob> : tensor<4xf32>
  tt.return
}

// -----

#reversed = affine_map<(i) -> (3 - i)>
#id = affine_map<(i) -> (i)>
tt.func @input_in_reverse() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'linalg.generic' op has no form on the CPU yet}}
  %y = linalg.generic {indexing_maps = [#reversed, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  tt.return
}

// -----

#transposed = affine_map<(i, j) -> (j, i)>
#id = affine_map<(i, j) -> (i, j)>
tt.func @transposed_result() {
  %x = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @below {{'linalg.generic' op has no form on the CPU yet}}
  %y = linalg.generic {indexing_maps = [#id, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  tt.return
}

// -----

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
tt.func @reduction_as_a_generic() {
  %x = arith.constant dense<1.0> : tensor<4x4xf32>
  %y = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'linalg.generic' op has no form on the CPU yet}}
  %z = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  tt.return
}

// -----

#transposed = affine_map<(m, n, k) -> (k, m)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
tt.func @matmul_of_a_transposed_operand() {
  %x = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @below {{'linalg.matmul' op has no form on the CPU yet}}
  %y = linalg.matmul indexing_maps = [#transposed, #rhs, #out]
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  tt.return
}

// -----

#id = affine_map<(i) -> (i)>
tt.func @block_in_a_body() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{'tensor.empty' op has no form on the CPU yet}}
    %e = tensor.empty() : tensor<4xf32>
    linalg.yield %a : f32
  } -> tensor<4xf32>
  tt.return
}

// -----

// Only elementwise bodies may gather.
tt.func @gather_in_a_combine_region() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant 0 : index
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tensor.extract' op has no form on the CPU yet}}
    %c = tensor.extract %x[%zero] : tensor<4xf32>
    tt.reduce.return %c : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}
