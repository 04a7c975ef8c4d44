// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @int_to_ptr_of_i32(%i: i32) {
  // expected-error @below {{'tt.int_to_ptr' op operand #0 must be 64-bit signless integer or ranked tensor of 64-bit signless integer values, but got 'i32'}}
  %0 = tt.int_to_ptr %i : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int_of_another_shape(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error @below {{'tt.ptr_to_int' op requires the same shape for all operands and results}}
  %0 = tt.ptr_to_int %p : tensor<64x!tt.ptr<f32>> -> tensor<32xi64>
  tt.return
}

// -----

tt.func @bitcast_to_another_width(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.bitcast' op expects width of the operand's elements (32) to equal that of the result's (64)}}
  %0 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi64>
  tt.return
}

// -----

tt.func @bitcast_of_pointer_to_integer(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.bitcast' op expects element types ('!tt.ptr<f32>') and ('i64') to be both pointers, or neither; tt.ptr_to_int and tt.int_to_ptr convert between pointers and integers}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @fp_to_fp_narrows_without_rounding(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.fp_to_fp' op expects a rounding where the result ('f16') is narrower than the operand ('f32')}}
  %0 = tt.fp_to_fp %x : tensor<64xf32> -> tensor<64xf16>
  tt.return
}

// -----

tt.func @fp_to_fp_of_integers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.fp_to_fp' op operand #0 must be float, or block or vector of floats, but got 'tensor<64xi32>'}}
  %0 = tt.fp_to_fp %x : tensor<64xi32> -> tensor<64xf32>
  tt.return
}

// -----

tt.func @clampf_of_two_types(%x: f32, %low: f64) {
  // expected-error @below {{'tt.clampf' op requires the same type for all operands and results}}
  %0 = "tt.clampf"(%x, %low, %x) <{propagateNan = 0 : i32}> : (f32, f64, f32) -> f32
  tt.return
}

// -----

tt.func @mulhiui_of_matrix_vectors(%x: vector<4x4xi32>) {
  // expected-error @below {{'tt.mulhiui' op operand #0 must be integer, or block or vector of integers, but got 'vector<4x4xi32>'}}
  %0 = "tt.mulhiui"(%x, %x) : (vector<4x4xi32>, vector<4x4xi32>) -> vector<4x4xi32>
  tt.return
}

// -----

tt.func @extern_without_a_name(%x: f32) {
  // expected-error @below {{'tt.extern_elementwise' op expects symbol ("") to name a function}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32
  tt.return
}

// -----

tt.func @extern_of_two_shapes(%x: tensor<64xf32>, %s: f32) {
  // expected-error @below {{'tt.extern_elementwise' op requires the same shape for all operands and results}}
  %0 = tt.extern_elementwise %x, %s {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<64xf32>, f32) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @map_of_nothing() {
  // expected-error @below {{'tt.map_elementwise' op expects number of operands (0) to be at least 1}}
  %0 = "tt.map_elementwise"() <{pack = 1 : i32}> ({
    %c = arith.constant 0 : i32
    tt.map_elementwise.return %c : i32
  }) : () -> tensor<64xi32>
  tt.return
}

// -----

tt.func @map_of_too_large_a_pack(%x: tensor<4xi32>) {
  // expected-error @below {{'tt.map_elementwise' op expects pack (3) to be positive and to divide the last dimension}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32):
    tt.map_elementwise.return %a, %b, %c : i32, i32, i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----

tt.func @map_of_pairs_of_one(%x: tensor<i32>) {
  // expected-error @below {{'tt.map_elementwise' op expects pack (2) to be positive and to divide the last dimension}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<i32>) -> tensor<i32>
  tt.return
}

// -----

tt.func @map_of_two_shapes(%x: tensor<4xi32>, %y: tensor<8xi32>) {
  // expected-error @below {{'tt.map_elementwise' op expects shape of every operand and result ('tensor<8xi32>') to be that of the first operand ('tensor<4xi32>')}}
  %0 = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<4xi32>, tensor<8xi32>) -> tensor<4xi32>
  tt.return
}

// -----

tt.func @map_with_another_argument(%x: tensor<4xi32>) {
  // expected-error @below {{'tt.map_elementwise' op expects types of the region's arguments ('f32') to be the operands' elements ('i32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_with_another_result(%x: tensor<4xi32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-error @below {{'tt.map_elementwise.return' op expects types of operands ('i32') to be the results' elements ('f32')}}
    tt.map_elementwise.return %a : i32
  }) : (tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_elementwise_that_stores(%x: tensor<64xi32>, %p: !tt.ptr<i32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-error @below {{'tt.store' op is not allowed in the function of 'tt.map_elementwise', which has to compute results from its arguments and to do nothing else}}
    tt.store %p, %a : !tt.ptr<i32>
    tt.map_elementwise.return %a : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func private @prints(%a: i32) -> i32 {
  // expected-error @below {{'tt.print' op is not allowed in the function of 'tt.map_elementwise', which has to compute results from its arguments and to do nothing else}}
  tt.print "a" {hex = false, isSigned = array<i32: 1>} : %a : i32
  tt.return %a : i32
}

tt.func @map_elementwise_of_a_function_that_prints(%x: tensor<64xi32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %b = tt.call @prints(%a) : (i32) -> i32
    tt.map_elementwise.return %b : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func @assembly_of_two_shapes(%x: tensor<4xi32>, %y: tensor<8xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op expects shape of every operand and result ('tensor<8xi32>') to be that of the first result ('tensor<4xi32>')}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y : tensor<4xi32>, tensor<8xi32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func @assembly_of_a_block_and_a_scalar(%x: i32) {
  // expected-error @below {{'tt.elementwise_inline_asm' op expects shape of every operand and result ('i32') to be that of the first result ('tensor<4xi32>')}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> tensor<4xi32>
  tt.return
}

// -----

tt.func @assembly_without_results(%x: i32) {
  // expected-error @below {{'tt.elementwise_inline_asm' op expects number of results (0) to be at least 1}}
  "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "r", packed_element = 1 : i32, pure = true}> : (i32) -> ()
  tt.return
}

// -----

tt.func @assembly_of_no_elements(%x: i32) {
  // expected-error @below {{'tt.elementwise_inline_asm' op expects packed_element (0) to be positive}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func @assembly_of_too_many_elements(%x: tensor<4xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op expects packed_element (8) to divide the number of elements (4)}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 8 : i32, pure = true} %x : tensor<4xi32> -> tensor<4xi32>
  tt.return
}
