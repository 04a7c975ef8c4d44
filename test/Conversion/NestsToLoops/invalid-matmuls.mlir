// Matmuls whose plans cannot be converted to loops.
//
// RUN: blockdsl-opt %s --convert-nests-to-loops="vector-bits=512 features=+avx512bf16,+amx-tile,+amx-bf16" -split-input-file -verify-diagnostics

tt.func public @extents(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x12xf32>
  %1 = tensor.empty() : tensor<12x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x12xf32>) -> tensor<16x12xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<12x16xf32>) -> tensor<12x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{packs blocks whose dimensions are powers of two, got (12, 16)}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x12xf32>, tensor<12x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @order(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects the order 'common_first' of an operand for its instruction, got 'as_stored'}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @panels(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects panels of the right-hand side as wide as the tile, 16, got 8}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first, panel = 8>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @min_words(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects 'min_words' to be 0 for its instruction, got 5}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first, min_words = 5>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @in_buffer(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects 'in_buffer' only if the buffer of the left-hand side holds its words}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed, in_buffer = true>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @rows_of_the_right_side(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{packs rows for a tile only from the left-hand side, which is loaded along its rows}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed_rows, order = common_first>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @in_place_of_another_type(%x: bf16, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xbf16>
  %1 = tensor.empty() : tensor<16x16xbf16>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : bf16) outs(%0 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %b = linalg.fill ins(%x : bf16) outs(%1 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects an operand of type 'f32' in place, and 'fma'}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @packed_for_fma(%x: bf16, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xbf16>
  %1 = tensor.empty() : tensor<16x16xbf16>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : bf16) outs(%0 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %b = linalg.fill ins(%x : bf16) outs(%1 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects an operand of type 'f32' to be packed for 'fma'}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @copied_for_dot(%x: bf16, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xbf16>
  %1 = tensor.empty() : tensor<16x16xbf16>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : bf16) outs(%0 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %b = linalg.fill ins(%x : bf16) outs(%1 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects 'packed' operands for its instruction, got 'copied'}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = dot, lhs = <layout = copied, copy = <order = [0, 1], vector = 1, lanes = 16>>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @lanes(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects vectors of 16 lanes on this CPU, got 8}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 8, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @part_of_a_tile(%x: bf16, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xbf16>
  %1 = tensor.empty() : tensor<16x16xbf16>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : bf16) outs(%0 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %b = linalg.fill ins(%x : bf16) outs(%1 : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects whole tiles of 16 by 16 for 'amx', got 8 by 16}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = amx, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @wrapping(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects 'rhs_wrapping' to copy or pack an operand that is otherwise read in place}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first>, rhs_wrapping = <layout = packed, order = common_first>> {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @mask_of_another_shape(%x: f32, %zero: f32, %mask: i1) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = tensor.empty() : tensor<16x16xf32>
  %2 = tensor.empty() : tensor<16x16xf32>
  %3 = tensor.empty() : tensor<8x8xi1>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.fill ins(%x : f32) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.fill ins(%mask : i1) outs(%3 : tensor<8x8xi1>) -> tensor<8x8xi1>
  // expected-error @+1 {{expects a mask of the shape of its result, got 'tensor<8x8xi1>'}}
  %4 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> mask(%m : tensor<8x8xi1>) {
    %5 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %5 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @iterations_without_a_loop(%x: f32, %count: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<16x16xf32>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{expects 'iterations' only in a loop}}
  %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed, order = common_first>, iterations = 4> {
    %3 = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %3 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}

// -----

tt.func public @iterations_in_place(%x: f32, %count: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<16x16xf32>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %1 = scf.for %turn = %zero to %count step %one iter_args(%sum = %c) -> (tensor<16x16xf32>) : i32 {
    // expected-error @+1 {{expects 'iterations' only for a matmul of packed matrices in a loop that adds it up and computes nothing else but scalars}}
    %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first>, iterations = 4> {
      %3 = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%sum : tensor<16x16xf32>) -> tensor<16x16xf32>
      cpu.yield %3 : tensor<16x16xf32> in destination
    } : tensor<16x16xf32>
    scf.yield %2 : tensor<16x16xf32>
  }
  tt.return
}

// -----

tt.func public @kept_left_side(%x: f32, %count: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<16x16xf32>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %1 = scf.for %turn = %zero to %count step %one iter_args(%sum = %c) -> (tensor<16x16xf32>) : i32 {
    // expected-error @+1 {{keeps only the right-hand side for the next programs, packed for several 'iterations'}}
    %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed, kept = 1>, rhs = <layout = packed, order = common_first>, iterations = 4> {
      %3 = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%sum : tensor<16x16xf32>) -> tensor<16x16xf32>
      cpu.yield %3 : tensor<16x16xf32> in destination
    } : tensor<16x16xf32>
    scf.yield %2 : tensor<16x16xf32>
  }
  tt.return
}

// -----

tt.func public @kept_for_one_iteration(%x: f32, %count: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<16x16xf32>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %1 = scf.for %turn = %zero to %count step %one iter_args(%sum = %c) -> (tensor<16x16xf32>) : i32 {
    // expected-error @+1 {{keeps only the right-hand side for the next programs, packed for several 'iterations'}}
    %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed, order = common_first, kept = 1>> {
      %3 = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%sum : tensor<16x16xf32>) -> tensor<16x16xf32>
      cpu.yield %3 : tensor<16x16xf32> in destination
    } : tensor<16x16xf32>
    scf.yield %2 : tensor<16x16xf32>
  }
  tt.return
}

// -----

tt.func public @rows_that_are_not_loaded(%x: f32, %count: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<16x16xf32>
  %a = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %1 = scf.for %turn = %zero to %count step %one iter_args(%sum = %c) -> (tensor<16x16xf32>) : i32 {
    // expected-error @+1 {{expects 'try_in_place' only of the left-hand side of several 'iterations', packed and loaded along its rows}}
    %2 = cpu.nest matmul <tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed, try_in_place = true>, rhs = <layout = packed, order = common_first>, iterations = 4> {
      %3 = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%sum : tensor<16x16xf32>) -> tensor<16x16xf32>
      cpu.yield %3 : tensor<16x16xf32> in destination
    } : tensor<16x16xf32>
    scf.yield %2 : tensor<16x16xf32>
  }
  tt.return
}
