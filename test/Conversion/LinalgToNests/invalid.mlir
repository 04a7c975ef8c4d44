// RUN: blockdsl-opt %s -convert-linalg-to-nests -split-input-file -verify-diagnostics

// expected-error @below {{expects a kernel to return nothing}}
tt.func @returns_a_value() -> i32 {
  %c = arith.constant 1 : i32
  tt.return %c : i32
}

// -----

// expected-error @below {{expects a body with structured control flow}}
tt.func @branches(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  tt.return
^b:
  tt.return
}

// -----

// expected-error @below {{expects a kernel's arguments to be numbers, pointers and tensor descriptors, got 'tensor<64xf32>' for argument 0}}
tt.func @takes_a_block(%x: tensor<64xf32>) { tt.return }

// -----

tt.func @still_a_descriptor(%d: !tt.tensordesc<64xf32>, %i: i32, %s: i64) {
  // expected-error @below {{'tt.descriptor_load' op has no form on the CPU yet}}
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return
}

// -----

tt.func @still_elementwise(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.splat' op has no form on the CPU yet}}
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @calls(%x: i32) {
  // expected-error @below {{'tt.call' op expects every call to be inlined}}
  tt.call @calls(%x) : (i32) -> ()
  tt.return
}

// -----

#transposed = affine_map<(m, n, k) -> (k, m)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
tt.func @transposes_in_a_product() {
  %x = arith.constant dense<1.0> : tensor<16x16xf32>
  // expected-error @below {{'linalg.matmul' op has no form on the CPU yet}}
  %y = linalg.matmul indexing_maps = [#transposed, #rhs, #out]
      ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  tt.return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
tt.func @sums_by_itself() {
  %x = arith.constant dense<1.0> : tensor<4x16xf32>
  %y = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'linalg.generic' op has no form on the CPU yet}}
  %z = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  tt.return
}

// -----

tt.func @has_data_from_elsewhere() {
  // expected-error @below {{'arith.constant' op has no form on the CPU yet}}
  %x = arith.constant dense_resource<blob> : tensor<4xf32>
  tt.return
}

// -----

tt.func @has_vectors(%x: f32) {
  // expected-error @below {{'vector.broadcast' op has no form on the CPU yet}}
  %v = vector.broadcast %x : f32 to vector<4xf32>
  tt.return
}

// -----

tt.func @has_blocks_of_any_size() {
  %n = arith.constant 4 : index
  // expected-error @below {{'tensor.empty' op has no form on the CPU yet}}
  %x = tensor.empty(%n) : tensor<?xf32>
  tt.return
}
