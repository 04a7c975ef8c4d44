// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expects address space ("shared") to be "global", "descriptor" or "constant"}}
tt.func private @pointer_into_unknown_space(!tt.ptr<f32, "shared">)

// -----

// expected-error @below {{expects pointee type ('tensor<?xf32>') to be a scalar, a pointer or a block of static shape}}
tt.func private @pointer_to_a_dynamic_block(!tt.ptr<tensor<?xf32>>)

// -----

// expected-error @below {{expects sizes of block ('tensor<3xf32>') to be powers of two, not 3}}
tt.func private @pointer_to_a_block_of_three(!tt.ptr<tensor<3xf32>>)

// -----

// expected-error @below {{expects block ('tensor<2097152xf32>') to have at most 1048576 elements}}
tt.func private @pointer_to_a_huge_block(!tt.ptr<tensor<2097152xf32>>)

// -----

tt.func @addptr_with_another_shape(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<32xi32>) {
  // expected-error @below {{'tt.addptr' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<32xi32>
  tt.return
}

// -----

tt.func @addptr_of_floats(%p: tensor<64xf32>, %i: tensor<64xi32>) {
  // expected-error @below {{custom op 'tt.addptr' 'result' must be pointer or block of pointers, but got 'tensor<64xf32>'}}
  %0 = tt.addptr %p, %i : tensor<64xf32>, tensor<64xi32>
  tt.return
}

// -----

tt.func @load_through_a_float(%p: f32) {
  // expected-error @below {{expects type ('f32') to be a pointer or a block of pointers}}
  %0 = tt.load %p : f32
  tt.return
}

// -----

tt.func @load_with_four_operands(%p: !tt.ptr<f32>, %m: i1) {
  // expected-error @below {{expects 1 to 3 operands, not 4}}
  %0 = tt.load %p, %m, %m, %m : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @store_without_a_value(%p: !tt.ptr<f32>) {
  // expected-error @below {{expects 2 to 3 operands, not 1}}
  tt.store %p : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_with_unknown_modifier(%p: !tt.ptr<f32>) {
  // expected-error @below {{expects cache modifier (cx) to be none, ca, cg, wb, cs, wt or cv}}
  %0 = tt.load %p cacheModifier = cx : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_with_unknown_policy(%p: !tt.ptr<f32>) {
  // expected-error @below {{expects eviction policy (evict) to be evict_normal, evict_first or evict_last}}
  %0 = tt.load %p evictionPolicy = evict : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_of_another_type(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op expects result type ('i32') to be what the pointer points to ('f32')}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> i32
  tt.return
}

// -----

tt.func @load_with_other_of_another_type(%p: !tt.ptr<f32>, %m: i1, %o: i32) {
  // expected-error @below {{'tt.load' op expects type of other ('i32') to be what the pointer points to ('f32')}}
  %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tt.ptr<f32>, i1, i32) -> f32
  tt.return
}

// -----

tt.func @load_with_other_but_no_mask(%p: !tt.ptr<f32>, %o: f32) {
  // expected-error @below {{'tt.load' op expects a mask where other is given}}
  %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @load_with_mask_of_another_shape(%p: tensor<64x!tt.ptr<f32>>, %m: i1) {
  // expected-error @below {{'tt.load' op expects type of mask ('i1') to be 'tensor<64xi1>'}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>>, i1) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @load_with_bounds_but_no_block_pointer(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op expects pointer ('!tt.ptr<f32>') to be a block pointer when boundaryCheck is given}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_with_padding_but_no_block_pointer(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op expects pointer ('!tt.ptr<f32>') to be a block pointer when padding is given}}
  %0 = tt.load %p {padding = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_with_nan_for_integers(%p: !tt.ptr<tensor<16xi32>>) {
  // expected-error @below {{'tt.load' op expects element type ('i32') to be a float when padding is nan}}
  %0 = tt.load %p {padding = 2 : i32} : !tt.ptr<tensor<16xi32>>
  tt.return
}

// -----

tt.func @load_with_bounds_beyond_the_rank(%p: !tt.ptr<tensor<16xf32>>) {
  // expected-error @below {{'tt.load' op expects dimension in boundaryCheck (1) to be at least 0 and below the block's rank (1)}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

tt.func @load_with_bounds_named_twice(%p: !tt.ptr<tensor<16xf32>>) {
  // expected-error @below {{'tt.load' op expects dimension in boundaryCheck (0) to be named once}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0, 0>} : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

tt.func @load_with_mask_and_block_pointer(%p: !tt.ptr<tensor<16xf32>>, %m: tensor<16xi1>) {
  // expected-error @below {{'tt.load' op expects no mask with a block pointer ('!tt.ptr<tensor<16xf32>>'), whose bounds are in boundaryCheck}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

tt.func @store_of_another_type(%p: !tt.ptr<f32>, %v: i32) {
  // expected-error @below {{'tt.store' op expects type of value ('i32') to be what the pointer points to ('f32')}}
  "tt.store"(%p, %v) : (!tt.ptr<f32>, i32) -> ()
  tt.return
}

// -----

tt.func @store_with_mask_of_another_shape(%p: !tt.ptr<f32>, %v: f32, %m: tensor<64xi1>) {
  // expected-error @below {{'tt.store' op expects type of mask ('tensor<64xi1>') to be 'i1'}}
  "tt.store"(%p, %v, %m) : (!tt.ptr<f32>, f32, tensor<64xi1>) -> ()
  tt.return
}

// -----

tt.func @make_tensor_ptr_of_another_rank(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op expects number of sizes, strides and offsets (1) to be the block's rank (2)}}
  %b = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1, 0>} : <tensor<16x64xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_with_bad_order(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op expects order (1, 1) to name each of the block's 2 dimensions once}}
  %b = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 1>} : <tensor<16x64xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_of_odd_size(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{expects sizes of block ('tensor<3xf16>') to be powers of two, not 3}}
  %b = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<3xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_of_other_elements(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op failed to verify that base points to an element of the block}}
  %b = "tt.make_tensor_ptr"(%p, %n, %n, %i) <{order = array<i32: 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<4xf16>>
  tt.return
}

// -----

tt.func @advance_with_too_few_offsets(%b: !tt.ptr<tensor<16x64xf16>>, %i: i32) {
  // expected-error @below {{'tt.advance' op expects number of offsets (1) to be the block's rank (2)}}
  %c = tt.advance %b, [%i] : <tensor<16x64xf16>>
  tt.return
}

// -----

tt.func @load_with_an_attribute_of_another_kind(%p: !tt.ptr<f32>) {
  // expected-error @below {{custom op 'tt.load' attribute 'isVolatile' failed to satisfy constraint: bool attribute}}
  %0 = tt.load %p {isVolatile} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @store_with_an_attribute_of_another_kind(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @below {{custom op 'tt.store' attribute 'cachePolicy' failed to satisfy constraint: Hints on how a memory access uses the caches}}
  tt.store %p, %v {cachePolicy = 1 : i32} : !tt.ptr<f32>
  tt.return
}
