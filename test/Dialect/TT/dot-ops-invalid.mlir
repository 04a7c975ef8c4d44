// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @dot_of_vectors(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) {
  // expected-error @below {{'tt.dot' op expects rank of the accumulator (1) to be 2 or 3}}
  %d = tt.dot %a, %b, %c : tensor<16xf32> * tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @dot_of_two_ranks(%a: tensor<2x16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{'tt.dot' op expects ranks of lhs (3) and rhs (2) to be the accumulator's (2)}}
  %d = tt.dot %a, %b, %c : tensor<2x16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
  tt.return
}

// -----

tt.func @dot_inner_dimensions_differ(%a: tensor<16x8xf32>, %b: tensor<16x4xf32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{'tt.dot' op expects lhs columns (8) to equal rhs rows (16)}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<16x4xf32> -> tensor<16x4xf32>
  tt.return
}

// -----

tt.func @dot_rows_differ(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<32x4xf32>) {
  // expected-error @below {{'tt.dot' op expects lhs rows (16) to equal the accumulator's rows (32)}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<32x4xf32>
  tt.return
}

// -----

tt.func @dot_columns_differ(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tt.dot' op expects rhs columns (4) to equal the accumulator's columns (8)}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @dot_batches_differ(%a: tensor<2x16x8xf32>, %b: tensor<4x8x4xf32>, %c: tensor<2x16x4xf32>) {
  // expected-error @below {{'tt.dot' op expects batches of lhs (2) and rhs (4) to equal the accumulator's (2)}}
  %d = tt.dot %a, %b, %c : tensor<2x16x8xf32> * tensor<4x8x4xf32> -> tensor<2x16x4xf32>
  tt.return
}

// -----

tt.func @dot_of_two_widths(%a: tensor<16x8xf16>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{'tt.dot' op expects element types of lhs ('f16') and rhs ('f32') to be floats, or integers, of one width}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf16> * tensor<8x4xf32> -> tensor<16x4xf32>
  tt.return
}

// -----

tt.func @dot_of_floats_and_integers(%a: tensor<16x8xf32>, %b: tensor<8x4xi32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{'tt.dot' op expects element types of lhs ('f32') and rhs ('i32') to be floats, or integers, of one width}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x4xi32> -> tensor<16x4xf32>
  tt.return
}

// -----

tt.func @dot_of_floats_into_integers(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xi32>) {
  // expected-error @below {{'tt.dot' op expects the accumulator's elements ('i32') to be floats as the operands' are, or integers as they are ('f32')}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xi32>
  tt.return
}

// -----

tt.func @dot_gives_the_accumulators_type(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot' op failed to verify that result has the accumulator's type}}
  %d = "tt.dot"(%a, %a, %c) : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf64>
  tt.return
}

// -----

tt.func @dot_of_unknown_precision(%a: tensor<16x16xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'inputPrecision' [tf32, tf32x3, ieee, bf16x3, bf16x6]}}
  %d = tt.dot %a, %a, %a, inputPrecision = best : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}
