// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @make_tensor_descriptor_of_another_rank(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{'tt.make_tensor_descriptor' op expects number of sizes and strides (1) to be the block's rank (2)}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <16x64xf16>
  tt.return
}

// -----

tt.func @make_tensor_descriptor_of_other_elements(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @below {{'tt.make_tensor_descriptor' op expects what base points to ('f32') to be the block's element type ('f16')}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <64xf16>
  tt.return
}

// -----

tt.func @make_tensor_descriptor_of_integers_padded_with_nan(%p: !tt.ptr<i32>, %n: i32, %s: i64) {
  // expected-error @below {{'tt.make_tensor_descriptor' op expects element type ('i32') to be a float when padding is nan}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <i32>, <64xi32>
  tt.return
}

// -----

tt.func @make_tensor_descriptor_of_odd_size(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{'tt.make_tensor_descriptor' op expects sizes of block ('tensor<12xf16>') to be powers of two, not 12}}
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <12xf16>
  tt.return
}

// -----

// expected-error @below {{expects rank of block (0) to be 1 to 5}}
tt.func @descriptor_of_scalars(%d: !tt.tensordesc<f16>) {
  tt.return
}

// -----

// expected-error @below {{expects element type ('!tt.ptr<f16>') to be an integer or a float}}
tt.func @descriptor_of_pointers(%d: !tt.tensordesc<64x!tt.ptr<f16>>) {
  tt.return
}

// -----

tt.func @load_of_too_few_indices(%d: !tt.tensordesc<16x64xf16>, %i: i32) {
  // expected-error @below {{'tt.descriptor_load' op expects number of indices (1) to be the descriptor's rank (2)}}
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
  tt.return
}

// -----

tt.func @load_of_another_block(%d: !tt.tensordesc<2x64xf16>, %i: i32) {
  // expected-error @below {{'tt.descriptor_load' op expects type of block ('tensor<64xf16>') to be the descriptor's ('tensor<2x64xf16>'), but for leading dimensions of size 1}}
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<2x64xf16> -> tensor<64xf16>
  tt.return
}

// -----

tt.func @load_with_an_attribute_of_another_kind(%d: !tt.tensordesc<64xf16>, %i: i32) {
  // expected-error @below {{custom op 'tt.descriptor_load' attribute 'cachePolicy' failed to satisfy constraint: Hints on how a memory access uses the caches}}
  %x = tt.descriptor_load %d[%i] {cachePolicy = 1 : i32} : !tt.tensordesc<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

tt.func @store_of_other_elements(%d: !tt.tensordesc<64xf16>, %i: i32, %x: tensor<64xf32>) {
  // expected-error @below {{'tt.descriptor_store' op expects type of block ('tensor<64xf32>') to be the descriptor's ('tensor<64xf16>'), but for leading dimensions of size 1}}
  tt.descriptor_store %d[%i], %x : !tt.tensordesc<64xf16>, tensor<64xf32>
  tt.return
}

// -----

tt.func @bitwise_reduction_of_floats(%d: !tt.tensordesc<64xf16>, %i: i32, %x: tensor<64xf16>) {
  // expected-error @below {{'tt.descriptor_reduce' op expects element type ('f16') to be an integer when the kind is xor}}
  tt.descriptor_reduce xor, %d[%i], %x : !tt.tensordesc<64xf16>, tensor<64xf16>
  tt.return
}

// -----

tt.func @gather_of_blocks_of_two_rows(%d: !tt.tensordesc<2x64xf16>, %r: tensor<32xi32>, %j: i32) {
  // expected-error @below {{'tt.descriptor_gather' op expects descriptor's block ('tensor<2x64xf16>') to be one row of a matrix}}
  %x = tt.descriptor_gather %d[%r, %j] : (!tt.tensordesc<2x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @gather_at_a_matrix_of_offsets(%d: !tt.tensordesc<1x64xf16>, %r: tensor<1x32xi32>, %j: i32) {
  // expected-error @below {{'tt.descriptor_gather' op expects offsets of rows ('tensor<1x32xi32>') to be of rank 1}}
  %x = tt.descriptor_gather %d[%r, %j] : (!tt.tensordesc<1x64xf16>, tensor<1x32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @scatter_of_other_rows(%d: !tt.tensordesc<1x64xf16>, %r: tensor<32xi32>, %j: i32, %x: tensor<16x64xf16>) {
  // expected-error @below {{'tt.descriptor_scatter' op expects type of rows ('tensor<16x64xf16>') to be 'tensor<32x64xf16>'}}
  tt.descriptor_scatter %d[%r, %j], %x : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<16x64xf16>
  tt.return
}
