// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @block_of_odd_size(%x: f32) {
  // expected-error @below {{'tt.splat' op expects sizes of block ('tensor<3xf32>') to be powers of two, not 3}}
  %0 = tt.splat %x : f32 -> tensor<3xf32>
  tt.return
}

// -----

tt.func @block_of_no_size(%x: f32) {
  // expected-error @below {{'tt.splat' op expects sizes of block ('tensor<0xf32>') to be powers of two, not 0}}
  %0 = tt.splat %x : f32 -> tensor<0xf32>
  tt.return
}

// -----

tt.func @block_too_large(%x: f32) {
  // expected-error @below {{'tt.splat' op expects block ('tensor<1024x2048xf32>') to have at most 1048576 elements}}
  %0 = tt.splat %x : f32 -> tensor<1024x2048xf32>
  tt.return
}

// -----

// The number of elements does not fit into 64 bits.
tt.func @block_far_too_large(%x: f32) {
  // expected-error @below {{'tt.splat' op expects block ('tensor<4611686018427387904x16xf32>') to have at most 1048576 elements}}
  %0 = tt.splat %x : f32 -> tensor<4611686018427387904x16xf32>
  tt.return
}

// -----

tt.func @block_of_dynamic_shape(%x: f32) {
  // expected-error @below {{'tt.splat' op expects block ('tensor<?xf32>') to have a static shape}}
  %0 = tt.splat %x : f32 -> tensor<?xf32>
  tt.return
}

// -----

tt.func @make_range_backwards() {
  // expected-error @below {{'tt.make_range' op expects end (0) to be greater than start (64)}}
  %0 = tt.make_range {end = 0 : i32, start = 64 : i32} : tensor<64xi32>
  tt.return
}

// -----

tt.func @make_range_of_another_size() {
  // expected-error @below {{'tt.make_range' op expects result ('tensor<32xi32>') to be a block of 64 integers}}
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<32xi32>
  tt.return
}

// -----

tt.func @splat_of_another_type(%x: f32) {
  // expected-error @below {{'tt.splat' op expects type of the operand ('f32') to be the result's element type ('i32')}}
  %0 = tt.splat %x : f32 -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unsplat_of_several(%a: tensor<2xf32>) {
  // expected-error @below {{'tt.unsplat' op expects operand ('tensor<2xf32>') to have one element}}
  %0 = tt.unsplat %a : tensor<2xf32>
  tt.return
}

// -----

tt.func @unsplat_to_another_type(%a: tensor<1xf32>) {
  // expected-error @below {{'tt.unsplat' op expects result type ('i32') to be the operand's element type ('f32')}}
  %0 = "tt.unsplat"(%a) : (tensor<1xf32>) -> i32
  tt.return
}

// -----

tt.func @expand_dims_beyond_the_rank(%a: tensor<16xi32>) {
  // expected-error @below {{'tt.expand_dims' op expects axis (2) to be at least 0 and at most the operand's rank (1)}}
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  tt.return
}

// -----

tt.func @expand_dims_to_another_shape(%a: tensor<16xi32>) {
  // expected-error @below {{'tt.expand_dims' op expects result ('tensor<1x16xi32>') to be the operand ('tensor<16xi32>') with a dimension of size 1 at 1}}
  %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  tt.return
}

// -----

tt.func @broadcast_to_another_rank(%a: tensor<16xi32>) {
  // expected-error @below {{'tt.broadcast' op expects rank of the operand (1) to equal that of the result (2)}}
  %0 = tt.broadcast %a : tensor<16xi32> -> tensor<16x64xi32>
  tt.return
}

// -----

tt.func @broadcast_of_several(%a: tensor<16x2xi32>) {
  // expected-error @below {{'tt.broadcast' op expects size of dimension 1 (2) to be 1 or that of the result (64)}}
  %0 = tt.broadcast %a : tensor<16x2xi32> -> tensor<16x64xi32>
  tt.return
}

// -----

tt.func @broadcast_to_another_type(%a: tensor<16x1xi32>) {
  // expected-error @below {{'tt.broadcast' op requires the same element type for all operands and results}}
  %0 = tt.broadcast %a : tensor<16x1xi32> -> tensor<16x64xf32>
  tt.return
}

// -----

tt.func @reshape_to_another_size(%a: tensor<16xi32>) {
  // expected-error @below {{'tt.reshape' op expects number of elements of the operand (16) to equal that of the result (32)}}
  %0 = tt.reshape %a : tensor<16xi32> -> tensor<32xi32>
  tt.return
}

// -----

tt.func @trans_with_bad_order(%a: tensor<16x64xi32>) {
  // expected-error @below {{'tt.trans' op expects order (1, 1) to name each of the operand's 2 dimensions once}}
  %0 = tt.trans %a {order = array<i32: 1, 1>} : tensor<16x64xi32> -> tensor<64x16xi32>
  tt.return
}

// -----

tt.func @trans_to_another_shape(%a: tensor<16x64xi32>) {
  // expected-error @below {{'tt.trans' op expects result ('tensor<16x64xi32>') to be the operand ('tensor<16x64xi32>') with its dimensions in the given order (1, 0)}}
  %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x64xi32> -> tensor<16x64xi32>
  tt.return
}

// -----

tt.func @join_of_two_types(%a: tensor<16xi32>, %b: tensor<16xf32>) {
  // expected-error @below {{'tt.join' op requires all operands to have the same type}}
  %0 = "tt.join"(%a, %b) : (tensor<16xi32>, tensor<16xf32>) -> tensor<16x2xi32>
  tt.return
}

// -----

tt.func @join_to_another_shape(%a: tensor<16xi32>) {
  // expected-error @below {{'tt.join' op expects result ('tensor<2x16xi32>') to be the operands' type ('tensor<16xi32>') with a last dimension of size 2}}
  %0 = tt.join %a, %a : tensor<16xi32> -> tensor<2x16xi32>
  tt.return
}

// -----

tt.func @split_of_four(%a: tensor<16x4xi32>) {
  // expected-error @below {{'tt.split' op expects last dimension of the operand ('tensor<16x4xi32>') to have size 2}}
  %0, %1 = tt.split %a : tensor<16x4xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func @split_to_another_shape(%a: tensor<16x2xi32>) {
  // expected-error @below {{'tt.split' op expects result ('tensor<8xi32>') to be the operand ('tensor<16x2xi32>') without its last dimension}}
  %0, %1 = tt.split %a : tensor<16x2xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @cat_of_scalars(%a: tensor<f32>) {
  // expected-error @below {{'tt.cat' op expects rank of the operands (0) to be at least 1}}
  %0 = tt.cat %a, %a : tensor<f32> -> tensor<2xf32>
  tt.return
}

// -----

tt.func @cat_to_another_size(%a: tensor<16xf32>) {
  // expected-error @below {{'tt.cat' op expects result ('tensor<16xf32>') to be the operands' type ('tensor<16xf32>') with twice the size in dimension 0}}
  %0 = tt.cat %a, %a : tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @splat_of_a_block(%x: tensor<1xf32>) {
  // expected-error @below {{'tt.splat' op expects operand ('tensor<1xf32>') to be a scalar, or a block without dimensions}}
  %0 = tt.splat %x : tensor<1xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @splat_of_no_dimensions_of_another_type(%x: tensor<f32>) {
  // expected-error @below {{'tt.splat' op expects type of the operand ('tensor<f32>') to be the result's element type ('i32')}}
  %0 = tt.splat %x : tensor<f32> -> tensor<8xi32>
  tt.return
}
