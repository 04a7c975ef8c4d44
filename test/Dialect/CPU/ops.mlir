// The ops and attributes of the cpu dialect, printed and parsed again.
//
// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: @nests
func.func @nests(%block: tensor<4x64xf32>, %mask: tensor<4x64xi1>, %pointers: tensor<4x64x!tt.ptr<f32>>) -> f32 {
  // CHECK: cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> mask(%{{.*}} : tensor<4x64xi1> along 1) bounds <below = [0, 1], from = [1]> versions <integers_wrap = true, remainders_wrap = true> {
  // CHECK: cpu.yield %{{.*}} : tensor<4x64xf32> in buffer, %{{.*}} : tensor<4xf32> in buffer
  %0:2 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> mask(%mask : tensor<4x64xi1> along 1) bounds <below = [0, 1], from = [1]> versions <integers_wrap = true, remainders_wrap = true> {
    %1 = "tt.reduce"(%block) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %2 = arith.addf %a, %b : f32
      tt.reduce.return %2 : f32
    }) : (tensor<4x64xf32>) -> tensor<4xf32>
    cpu.yield %block : tensor<4x64xf32> in buffer, %1 : tensor<4xf32> in buffer
  } : tensor<4x64xf32>, tensor<4xf32>
  // CHECK: cpu.nest config <order = [0], vector = 0, lanes = 4, transpose = <dim = 0, square = 4, rows = 4>> when_empty {
  // CHECK: cpu.yield %{{.*}} : f32 in register
  %3 = cpu.nest config <order = [0], vector = 0, lanes = 4, transpose = <dim = 0, square = 4, rows = 4>> when_empty {
    %4 = "tt.reduce"(%0#1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %5 = arith.addf %a, %b : f32
      tt.reduce.return %5 : f32
    }) : (tensor<4xf32>) -> f32
    cpu.yield %4 : f32 in register
  } : f32
  // CHECK: cpu.nest config <order = [0, 1]> epilogue attributes {name = "stores"} {
  // CHECK: cpu.yield
  cpu.nest config <order = [0, 1]> epilogue attributes {name = "stores"} {
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%pointers : tensor<4x64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %3 : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  // CHECK: cpu.nest config <order = [0, 1], vector = 1, lanes = 16> stores <align = true, stream = true> epilogue {
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> stores <align = true, stream = true> epilogue {
    cpu.yield
  }
  return %3 : f32
}

// CHECK-LABEL: @matmuls
func.func @matmuls(%a: tensor<32x32xbf16>, %sums: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = dot, lhs = <layout = packed_rows, group = 2, along_common = true>, rhs = <layout = packed, group = 2, order = common_first, panel = 32>> prefetch <lhs = next_tile, rhs = next_iteration, lines = 4, panel_steps = 16, sums = true> {
  %0 = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = dot, lhs = <layout = packed_rows, group = 2, along_common = true>, rhs = <layout = packed, group = 2, order = common_first, panel = 32>> prefetch <lhs = next_tile, rhs = next_iteration, lines = 4, panel_steps = 16, sums = true> {
    %1 = linalg.matmul ins(%a, %a : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%sums : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %1 : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  // CHECK: cpu.nest matmul <tile = [32, 32], lanes = 16, instruction = amx, lhs = <layout = packed, group = 2, order = common_last, min_words = 16, in_buffer = true>, rhs = <layout = packed, group = 2, order = common_first, min_words = 16>, epilogue = true> {
  %2 = cpu.nest matmul <tile = [32, 32], lanes = 16, instruction = amx, lhs = <layout = packed, group = 2, order = common_last, min_words = 16, in_buffer = true>, rhs = <layout = packed, group = 2, order = common_first, min_words = 16>, epilogue = true> {
    %3 = linalg.matmul ins(%a, %a : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %3 : tensor<32x32xf32> in spare
  } : tensor<32x32xf32>
  // CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = copied, copy = <order = [0, 1], vector = 1, lanes = 16>>, rhs = <layout = in_place>, rhs_wrapping = <layout = packed, order = common_first>> {
  %4 = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = copied, copy = <order = [0, 1], vector = 1, lanes = 16>>, rhs = <layout = in_place>, rhs_wrapping = <layout = packed, order = common_first>> {
    %5 = linalg.matmul ins(%a, %a : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%2 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %5 : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  return %4 : tensor<32x32xf32>
}
