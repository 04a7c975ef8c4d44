// Plans that cannot be converted to loops. Each error is at the op that it is about.
//
// RUN: blockdsl-opt %s --convert-nests-to-loops -split-input-file -verify-diagnostics

tt.func public @without_config(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{'cpu.nest' op expects a 'config', which says how its loops run}}
  %1 = cpu.nest {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @no_such_dimension(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{expects dimensions of a block of rank 1 in 'order', got 1}}
  %1 = cpu.nest config <order = [1], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @dimension_without_loop(%block: f32) {
  %0 = tensor.empty() : tensor<4x64xf32>
  // expected-error @+1 {{expects a loop along dimension 0 of (4, 64) in 'order'}}
  %1 = cpu.nest config <order = [1], vector = 1, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<4x64xf32>) -> tensor<4x64xf32>
    cpu.yield %2 : tensor<4x64xf32> in buffer
  } : tensor<4x64xf32>
  tt.return
}

// -----

tt.func public @too_few_elements(%block: f32) {
  %0 = tensor.empty() : tensor<4x64xf32>
  // expected-error @+1 {{expects a vector dimension with at least 16 elements, got dimension 0 of (4, 64)}}
  %1 = cpu.nest config <order = [1, 0], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<4x64xf32>) -> tensor<4x64xf32>
    cpu.yield %2 : tensor<4x64xf32> in buffer
  } : tensor<4x64xf32>
  tt.return
}

// -----

tt.func public @nothing_to_transpose(%block: f32) {
  %0 = tensor.empty() : tensor<64x64xf32>
  // expected-error @+1 {{expects a block that is contiguous along dimension 0, which 'transpose' names}}
  %1 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16, transpose = <dim = 0, square = 16, rows = 16>> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    cpu.yield %2 : tensor<64x64xf32> in buffer
  } : tensor<64x64xf32>
  tt.return
}

// -----

tt.func public @transposed_dimension(%block: f32) {
  %0 = tensor.empty() : tensor<64x64xf32>
  // expected-error @+1 {{expects a dimension of a block of rank 2 in 'transpose', got 2}}
  %1 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16, transpose = <dim = 2, square = 16, rows = 16>> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    cpu.yield %2 : tensor<64x64xf32> in buffer
  } : tensor<64x64xf32>
  tt.return
}

// -----

tt.func public @squares_of_a_scan(%block: f32) {
  %0 = tensor.empty() : tensor<32x64xf32>
  // expected-error @+1 {{expects squares of 16 along the last dimension, which the scan runs along, got 8 along dimension 1}}
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16, transpose = <dim = 1, square = 8, rows = 8>> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %3 = "tt.scan"(%2) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %4 = arith.mulf %a, %b : f32
      tt.scan.return %4 : f32
    }) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    cpu.yield %3 : tensor<32x64xf32> in buffer
  } : tensor<32x64xf32>
  tt.return
}

// -----

tt.func public @reduction_beside_a_scan(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest config <order = [], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %3 = "tt.scan"(%2) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %4 = arith.addf %a, %b : f32
      tt.scan.return %4 : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    // expected-error @+1 {{cannot share a nest with tt.scan}}
    %5 = "tt.reduce"(%3) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %6 = arith.addf %a, %b : f32
      tt.reduce.return %6 : f32
    }) : (tensor<64xf32>) -> f32
    cpu.yield %5 : f32 in register
  } : f32
  tt.return
}

// -----

tt.func public @mask_of_a_reverse_scan(%block: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = tensor.empty() : tensor<64xi1>
  %2 = linalg.fill ins(%mask : i1) outs(%1 : tensor<64xi1>) -> tensor<64xi1>
  // expected-error @+1 {{expects no mask, because its scan begins with the last elements}}
  %3 = cpu.nest config <order = [], vector = 0, lanes = 16> mask(%2 : tensor<64xi1>) {
    %4 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %5 = "tt.scan"(%4) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: f32, %b: f32):
      %6 = arith.addf %a, %b : f32
      tt.scan.return %6 : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %5 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @squares(%block: f32) {
  %0 = tensor.empty() : tensor<64x64xf32>
  // expected-error @+1 {{expects squares of a power of two that divides 16 lanes and 16 rows, of at most 64, in a nest without reductions, got 32}}
  %1 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16, transpose = <dim = 0, square = 32, rows = 16>> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    cpu.yield %2 : tensor<64x64xf32> in buffer
  } : tensor<64x64xf32>
  tt.return
}

// -----

tt.func public @two_shapes(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = tensor.empty() : tensor<32xf32>
  // expected-error @+1 {{expects consumers over one shape, got (32) beside (64)}}
  %2:2 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    %3 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %4 = linalg.fill ins(%block : f32) outs(%1 : tensor<32xf32>) -> tensor<32xf32>
    cpu.yield %3 : tensor<64xf32> in buffer, %4 : tensor<32xf32> in buffer
  } : tensor<64xf32>, tensor<32xf32>
  tt.return
}

// -----

tt.func public @nothing() {
  // expected-error @+1 {{expects to store, reduce or keep something}}
  cpu.nest config <order = [0], vector = 0, lanes = 16> {
    cpu.yield
  }
  tt.return
}

// -----

tt.func public @destination_without_one(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{expects result #0 to have one use, by the loop or branch whose block it becomes, because it is in 'destination'}}
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in destination
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @initial_value_elsewhere(%block: f32, %n: i32) {
  %c1 = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  // expected-error @+1 {{expects the initial value of a block in the storage 'destination'}}
  %3 = scf.for %i = %c1 to %n step %c1 iter_args(%carried = %1) -> (tensor<64xf32>) : i32 {
    scf.yield %carried : tensor<64xf32>
  }
  tt.return
}

// -----

tt.func public @initial_value_that_no_nest_writes(%n: i32) {
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @+1 {{expects a nest that writes the initial value of block #0, unless it is zero and a matmul adds to it}}
  %3 = scf.for %i = %c1 to %n step %c1 iter_args(%carried = %zeros) -> (tensor<64xf32>) : i32 {
    scf.yield %carried : tensor<64xf32>
  }
  tt.return
}

// -----

tt.func public @yields_what_no_nest_writes(%block: f32, %n: i32) {
  %c1 = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in destination
  } : tensor<64xf32>
  %3 = scf.for %i = %c1 to %n step %c1 iter_args(%carried = %1) -> (tensor<64xf32>) : i32 {
    %4 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    // expected-error @+1 {{expects operand #0 to be the result of a nest in the storage 'destination'}}
    scf.yield %4 : tensor<64xf32>
  }
  tt.return
}

// -----

tt.func public @epilogue_of_nothing(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{expects a matmul with 'epilogue' before it}}
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> epilogue {
    %2 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @sum_that_the_mask_changes(%block: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = tensor.empty() : tensor<64xi1>
  %false = arith.constant false
  %mask = linalg.fill ins(%false : i1) outs(%1 : tensor<64xi1>) -> tensor<64xi1>
  %2 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1> along 0) {
    %3 = linalg.fill ins(%block : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    // expected-error @+1 {{reduces elements that its nest's mask leaves out and that are not neutral}}
    %4 = "tt.reduce"(%3) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %5 = arith.addf %a, %b : f32
      tt.reduce.return %5 : f32
    }) : (tensor<64xf32>) -> f32
    cpu.yield %4 : f32 in register
  } : f32
  tt.return
}

// -----

tt.func public @matmul_without_plan(%block: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%block : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{expects 'matmul', which says how the product is computed}}
  %2 = cpu.nest {
    %3 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @tile_that_does_not_fit(%block: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%block : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{expects a tile of at most 16 rows and of columns that divide 16, got 8 by 64}}
  %2 = cpu.nest matmul <tile = [8, 64], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %3 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @instruction_of_another_cpu(%block: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%block : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{expects a CPU with 'amx' for vectors of 16 'f32' and operands of 'f32'}}
  %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = amx, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %3 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @group_of_another_instruction(%block: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%block : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{expects words of 1 elements for its instruction, got 4}}
  %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, group = 4>> {
    %3 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @two_kinds(%block: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%block : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2:2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %3 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    // expected-error @+1 {{cannot share a nest with linalg.matmul}}
    %4 = linalg.matmul ins(%1, %3 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer, %4 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>, tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @no_block(%x: f32) {
  // expected-error @+1 {{expects to yield blocks, or results of the ops in it}}
  %0 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    cpu.yield %x : f32 in register
  } : f32
  tt.return
}

// -----

tt.func public @two_axes(%x: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %2:2 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %3 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %4 = arith.addf %a, %b : f32
      tt.reduce.return %4 : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    // expected-error @+1 {{cannot share a nest that reduces dimension 0}}
    %5 = "tt.reduce"(%1) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %6 = arith.addf %a, %b : f32
      tt.reduce.return %6 : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    cpu.yield %3 : tensor<16xf32> in buffer, %5 : tensor<16xf32> in buffer
  } : tensor<16xf32>, tensor<16xf32>
  tt.return
}

// -----

tt.func public @mask_of_another_shape(%x: f32, %holds: i1) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = tensor.empty() : tensor<32xi1>
  %mask = linalg.fill ins(%holds : i1) outs(%1 : tensor<32xi1>) -> tensor<32xi1>
  // expected-error @+1 {{expects a mask of shape (64), got 'tensor<32xi1>'}}
  %2 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<32xi1>) {
    %3 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %3 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

tt.func public @mask_along_no_dimension(%x: f32, %holds: i1) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = tensor.empty() : tensor<64xi1>
  %mask = linalg.fill ins(%holds : i1) outs(%1 : tensor<64xi1>) -> tensor<64xi1>
  // expected-error @+1 {{expects a mask along dimension 0, which it reduces}}
  %2 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %3 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %4 = "tt.reduce"(%3) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %5 = arith.addf %a, %b : f32
      tt.reduce.return %5 : f32
    }) : (tensor<64xf32>) -> f32
    cpu.yield %4 : f32 in register
  } : f32
  tt.return
}

// -----

tt.func public @scalar_op() {
  cpu.nest {
    // expected-error @+1 {{is not computed by a nest}}
    %0 = arith.constant 1 : i32
    cpu.yield
  }
  tt.return
}

// -----

tt.func public @spare_without_a_copy(%x: f32, %n: i32) {
  %c1 = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in destination
  } : tensor<64xf32>
  // expected-error @+1 {{expects a result in the storage 'spare' to be copied to a block that the loop carries}}
  %3 = scf.for %i = %c1 to %n step %c1 iter_args(%carried = %1) -> (tensor<64xf32>) : i32 {
    %4 = cpu.nest config <order = [0], vector = 0, lanes = 16> {
      cpu.yield %carried : tensor<64xf32> in spare
    } : tensor<64xf32>
    scf.yield %carried : tensor<64xf32>
  }
  tt.return
}

// -----

// expected-error @+1 {{has an initial value for a loop without iterations, and no loop behind it}}
tt.func public @no_loop(%x: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest config <order = [0], vector = 0, lanes = 16> when_empty {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %2 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>
tt.func public @bounds_without_a_comparison(%x: f32, %n: i32) {
  %0 = tensor.empty() : tensor<64xi32>
  %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
  ^bb0(%out: i32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<64xi32>
  %ns = linalg.fill ins(%n : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %3 = tensor.empty() : tensor<64xi1>
  %mask = linalg.map { arith.cmpi {predicate = 0 : i64} } ins(%i, %ns : tensor<64xi32>, tensor<64xi32>) outs(%3 : tensor<64xi1>)
  %5 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{expects a mask that bounds its loops, got 'below' for dimension 0, where it can have 'below' for []}}
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) bounds <below = [0]> {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>
tt.func public @skipped_start_of_a_buffer(%x: f32, %n: i32) {
  %0 = tensor.empty() : tensor<64xi32>
  %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
  ^bb0(%out: i32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<64xi32>
  %ns = linalg.fill ins(%n : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %3 = tensor.empty() : tensor<64xi1>
  %mask = linalg.map { arith.cmpi {predicate = 5 : i64} } ins(%i, %ns : tensor<64xi32>, tensor<64xi32>) outs(%3 : tensor<64xi1>)
  %5 = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{expects a mask that bounds its loops, got 'from' for dimension 0, where it can have 'from' for []}}
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) bounds <from = [0]> {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>
tt.func public @read_beyond_the_bounds(%x: f32, %n: i32) {
  %0 = tensor.empty() : tensor<64xi32>
  %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
  ^bb0(%out: i32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<64xi32>
  %ns = linalg.fill ins(%n : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %3 = tensor.empty() : tensor<64xi1>
  %mask = linalg.map { arith.cmpi {predicate = 2 : i64} } ins(%i, %ns : tensor<64xi32>, tensor<64xi32>) outs(%3 : tensor<64xi1>)
  %5 = tensor.empty() : tensor<64xf32>
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) bounds <below = [0]> {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  // expected-error @+1 {{expects 'bounds' below the mask along dimension 0, because the nest of a block that it reads has them}}
  %8 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %9 = linalg.map { arith.negf } ins(%6 : tensor<64xf32>) outs(%5 : tensor<64xf32>)
    cpu.yield %9 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}
