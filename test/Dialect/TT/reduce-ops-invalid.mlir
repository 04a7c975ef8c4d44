// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @reduce_of_nothing(%x: f32) {
  // expected-error @below {{'tt.reduce' op expects number of operands (0) to be at least 1}}
  "tt.reduce"() <{axis = 1 : i32}> ({
    tt.reduce.return %x : f32
  }) : () -> ()
  tt.return
}

// -----

tt.func @reduce_with_too_few_results(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.reduce' op expects number of results (0) to be the number of operands (1)}}
  "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16x64xf32>) -> ()
  tt.return
}

// -----

tt.func @reduce_of_unknown_axis(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.reduce' op expects axis (2) to be at least 0 and below the operands' rank (2)}}
  "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @reduce_of_two_shapes(%x: tensor<16xf32>, %y: tensor<32xf32>) {
  // expected-error @below {{'tt.reduce' op expects shape of every operand ('tensor<32xf32>') to be that of the first ('tensor<16xf32>')}}
  "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<16xf32>, tensor<32xf32>) -> (f32, f32)
  tt.return
}

// -----

tt.func @reduce_to_another_shape(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.reduce' op expects result type ('tensor<64xf32>') to be 'tensor<16xf32>'}}
  "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16x64xf32>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @reduce_with_one_argument(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.reduce' op expects types of the region's arguments ('f32') to be the operands' elements, twice ('f32', 'f32')}}
  "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @reduce_that_gives_another_type(%x: tensor<16x64xf32>) {
  "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.fptosi %a : f32 to i32
    // expected-error @below {{'tt.reduce.return' op expects types of operands ('i32') to be the elements that are combined ('f32')}}
    tt.reduce.return %c : i32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @reduce_that_ends_otherwise(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.reduce' op expects the region to end with tt.reduce.return}}
  "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @scan_of_unknown_axis(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.scan' op expects axis (-1) to be at least 0 and below the operands' rank (2)}}
  "tt.scan"(%x) <{axis = -1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<16x64xf32>) -> tensor<16x64xf32>
  tt.return
}

// -----

tt.func @scan_to_another_shape(%x: tensor<16x64xf32>) {
  // expected-error @below {{'tt.scan' op expects result type ('tensor<16xf32>') to be 'tensor<16x64xf32>'}}
  "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @scan_return_in_a_reduce(%x: tensor<64xf32>) {
  "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tt.scan.return' op expects parent op 'tt.scan'}}
    tt.scan.return %a : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

tt.func @histogram_of_a_matrix(%x: tensor<16x4xi32>) {
  // expected-error @below {{'tt.histogram' op expects rank of the operand (2) to be 1}}
  %0 = tt.histogram %x : tensor<16x4xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func @histogram_to_a_matrix(%x: tensor<16xi32>) {
  // expected-error @below {{'tt.histogram' op expects rank of the result (2) to be 1}}
  %0 = tt.histogram %x : tensor<16xi32> -> tensor<16x4xi32>
  tt.return
}

// -----

tt.func @histogram_with_mask_of_another_shape(%x: tensor<16xi32>, %m: tensor<8xi1>) {
  // expected-error @below {{'tt.histogram' op failed to verify that mask has the shape of src}}
  %0 = "tt.histogram"(%x, %m) : (tensor<16xi32>, tensor<8xi1>) -> tensor<16xi32>
  tt.return
}

// -----

tt.func @gather_with_indices_of_another_rank(%x: tensor<64x4xf32>, %i: tensor<16xi32>) {
  // expected-error @below {{'tt.gather' op expects rank of the indices (1) to be that of src (2)}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x4xf32>, tensor<16xi32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @gather_along_unknown_axis(%x: tensor<64xf32>, %i: tensor<16xi32>) {
  // expected-error @below {{'tt.gather' op expects axis (1) to be at least 0 and below the operands' rank (1)}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<64xf32>, tensor<16xi32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @gather_with_indices_of_another_size(%x: tensor<64x4xf32>, %i: tensor<16x8xi32>) {
  // expected-error @below {{'tt.gather' op expects size of dimension 1 of the indices (8) to be that of src (4)}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x4xf32>, tensor<16x8xi32>) -> tensor<16x8xf32>
  tt.return
}

// -----

tt.func @gather_to_another_type(%x: tensor<64xf32>, %i: tensor<16xi32>) {
  // expected-error @below {{'tt.gather' op expects result ('tensor<16xi32>') to have the shape of the indices and the elements of src ('tensor<16xf32>')}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32>, tensor<16xi32>) -> tensor<16xi32>
  tt.return
}

// -----

tt.func @reduce_that_stores(%x: tensor<64xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tt.store' op is not allowed in the function of 'tt.reduce', which has to compute results from its arguments and to do nothing else}}
    tt.store %p, %a : !tt.ptr<f32>
    tt.reduce.return %b : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

tt.func @scan_that_loads_what_may_change(%x: tensor<64xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tt.load' op is not allowed in the function of 'tt.scan', which has to compute results from its arguments and to do nothing else}}
    %c = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    tt.scan.return %c : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
