// Attributes and ops of the cpu dialect that its verifiers reject.
//
// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects each dimension of 'order' once, got 0 twice or below 0}}
#twice = #cpu.nest<order = [0, 0]>

// -----

// expected-error @+1 {{expects 'vector' to be a dimension, or -1 for scalar code, got -2}}
#below = #cpu.nest<order = [0], vector = -2>

// -----

// expected-error @+1 {{expects 'lanes' and 'interleave' to be powers of two, got 12 and 1}}
#lanes = #cpu.nest<order = [0], vector = 0, lanes = 12>

// -----

// expected-error @+1 {{expects one lane of scalar code, got 8}}
#scalar = #cpu.nest<order = [0], lanes = 8>

// -----

// expected-error @+1 {{expects 'tile' to be rows and a multiple of 16 columns, got [8, 24]}}
#tile = #cpu.matmul<tile = [8, 24], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>>

// -----

func.func @block_in_a_register(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects a scalar in a register and a block in memory, got 'tensor<8xf32>' in register}}
  %0 = cpu.nest {
    cpu.yield %block : tensor<8xf32> in register
  } : tensor<8xf32>
  return
}

// -----

func.func @result_types(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects results of the types that it yields}}
  %0 = cpu.nest {
    cpu.yield %block : tensor<8xf32> in buffer
  } : tensor<4xf32>
  return
}

// -----

func.func @storage_of_each_value(%block: tensor<8xf32>) {
  %0 = cpu.nest {
    // expected-error @+1 {{expects a storage for each value, got 0 for 1}}
    "cpu.yield"(%block) <{storage = []}> : (tensor<8xf32>) -> ()
  } : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expects 'iterations' from 1 to 256, got 0}}
#iterations = #cpu.matmul<tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed>, iterations = 0>

// -----

// expected-error @+1 {{expects 'kept' from 0 to 256, got 300}}
#kept = #cpu.matmul<tile = [8, 16], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed, kept = 300>, iterations = 2>

// -----

// expected-error @+1 {{expects each dimension of 'below' once, got 1 twice or below 0}}
#bounds = #cpu.bounds<below = [1, 1]>

// -----

// expected-error @+1 {{expects a dimension in 'below' or 'from'}}
#bounds = #cpu.bounds<>

// -----

func.func @bounds_without_a_mask(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects a mask or a 'matmul' with 'bounds'}}
  %0 = cpu.nest config <order = [0]> bounds <below = [0]> {
    cpu.yield %block : tensor<8xf32> in buffer
  } : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expects 'integers_wrap' or 'remainders_wrap'}}
#versions = #cpu.versions<>

// -----

func.func @versions_without_loops(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects a 'config' or a 'matmul' with 'versions'}}
  %0 = cpu.nest versions <integers_wrap = true> {
    cpu.yield %block : tensor<8xf32> in buffer
  } : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expects 'align' or 'stream'}}
#stores = #cpu.stores<>

// -----

func.func @stores_without_loops(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects a 'config' with 'stores'}}
  %0 = cpu.nest stores <align = true> {
    cpu.yield %block : tensor<8xf32> in buffer
  } : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expects 'lhs', 'rhs', 'panel_steps' or 'sums'}}
#prefetch = #cpu.prefetch<>

// -----

// expected-error @+1 {{expects 'lines' from 1 to 64 with 'lhs' or 'rhs', got 0}}
#prefetch = #cpu.prefetch<lhs = next_tile>

// -----

// expected-error @+1 {{expects 'lines' from 1 to 64 with 'lhs' or 'rhs', got 4}}
#prefetch = #cpu.prefetch<lines = 4, sums = true>

// -----

// expected-error @+1 {{expects 'panel_steps' from 0 to 4096, got 5000}}
#prefetch = #cpu.prefetch<panel_steps = 5000>

// -----

func.func @prefetch_without_a_matmul(%block: tensor<8xf32>) {
  // expected-error @+1 {{expects a 'matmul' with 'prefetch'}}
  %0 = cpu.nest config <order = [0]> prefetch <sums = true> {
    cpu.yield %block : tensor<8xf32> in buffer
  } : tensor<8xf32>
  return
}
