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

// -----

tt.func @scaled_elements_of_another_type(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects elements of lhs ('bf16') to be 'f8E4M3FN', as they are e4m3}}
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_nibbles_of_another_type(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects elements of rhs ('bf16') to be 'i8', as they are e2m1}}
  %d = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_packed_along_rows(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects lhs (bf16) to be e2m1 where it is packed along its outer dimension}}
  %d = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = bf16 {fastMath = false, lhs_k_pack = false} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_by_too_few(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>, %t: tensor<16x1xi8>) {
  // expected-error @below {{'tt.dot_scaled' op expects scale of rhs ('tensor<16x1xi8>') to have 16 rows, of one for 32 or 16 of 64 elements}}
  %d = tt.dot_scaled %a, %b scale %t, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<16x64xbf16> * tensor<64x16xbf16>, tensor<16x1xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_of_unequal_depth(%a: tensor<16x64xi8>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects lhs columns (128 elements) to equal rhs rows (64 elements)}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @scaled_into_another_shape(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects shape of the accumulator ('tensor<16x32xf32>') to be 16 x 16, with the batches of both factors}}
  %d = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @scaled_of_unequal_ranks(%a: tensor<1x16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{'tt.dot_scaled' op expects ranks of lhs (3), rhs (2) and the accumulator (2) to be all 2, or all 3}}
  %d = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<1x16x64xbf16> * tensor<64x16xbf16> -> tensor<16x32xf32>
  tt.return
}
