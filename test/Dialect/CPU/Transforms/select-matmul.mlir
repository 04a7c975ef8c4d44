// The tile, the instruction and the packing of a matmul, by its extents, its operands and the CPU.
//
// RUN: blockdsl-opt %s --cpu-select-matmul="features=+avx512f,+avx512bf16" | FileCheck %s
// RUN: blockdsl-opt %s --cpu-select-matmul="vector-bits=256 features=+avx2" | FileCheck %s --check-prefix=AVX2
// RUN: blockdsl-opt %s --cpu-select-matmul="features=+avx512f,+amx-tile,+amx-bf16" | FileCheck %s --check-prefix=AMX

// Buffers of the accumulator's type are read in place.
//
// CHECK-LABEL: @in_place
// CHECK: cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
// AVX2-LABEL: @in_place
// AVX2: cpu.nest matmul <tile = [6, 16], lanes = 8, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
// AMX-LABEL: @in_place
// AMX: cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma,
tt.func public @in_place(%x: f32) {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = cpu.nest config <order = [0, 1]> {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %2 : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %3 = cpu.nest {
    %4 = linalg.matmul ins(%1, %1 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%1 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %4 : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  tt.return
}

// Pairs of bf16 if the CPU has dot instructions, tiles of them with AMX, and otherwise f32.
//
// CHECK-LABEL: @groups
// CHECK: cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = dot, lhs = <layout = packed, group = 2, along_common = true, in_buffer = true>, rhs = <layout = packed, group = 2, order = common_first>> {
// AVX2-LABEL: @groups
// AVX2: cpu.nest matmul <tile = [6, 16], lanes = 8, instruction = fma, lhs = <layout = copied,
// AMX-LABEL: @groups
// AMX: cpu.nest matmul <tile = [32, 32], lanes = 16, instruction = amx, lhs = <layout = packed, group = 2, order = common_last, min_words = 16, along_common = true, in_buffer = true>, rhs = <layout = packed, group = 2, order = common_first, min_words = 16>> {
tt.func public @groups(%x: bf16, %y: f32) {
  %0 = tensor.empty() : tensor<32x32xbf16>
  %1 = tensor.empty() : tensor<32x32xf32>
  %2 = cpu.nest config <order = [0, 1]> {
    %3 = linalg.fill ins(%x : bf16) outs(%0 : tensor<32x32xbf16>) -> tensor<32x32xbf16>
    cpu.yield %3 : tensor<32x32xbf16> in buffer
  } : tensor<32x32xbf16>
  %4 = linalg.fill ins(%y : f32) outs(%1 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %5 = cpu.nest {
    %6 = linalg.matmul ins(%2, %2 : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%4 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %6 : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  tt.return
}

// Extents that are not powers of two are not packed in groups: the operands are copied in the accumulator's type.
//
// CHECK-LABEL: @no_powers_of_two
// CHECK: cpu.nest matmul <tile = [{{.*}}], lanes = 16, instruction = fma, lhs = <layout = copied, copy = <
tt.func public @no_powers_of_two(%x: bf16, %y: f32) {
  %0 = tensor.empty() : tensor<48x48xbf16>
  %1 = tensor.empty() : tensor<48x48xf32>
  %2 = cpu.nest config <order = [0, 1]> {
    %3 = linalg.fill ins(%x : bf16) outs(%0 : tensor<48x48xbf16>) -> tensor<48x48xbf16>
    cpu.yield %3 : tensor<48x48xbf16> in buffer
  } : tensor<48x48xbf16>
  %4 = linalg.fill ins(%y : f32) outs(%1 : tensor<48x48xf32>) -> tensor<48x48xf32>
  %5 = cpu.nest {
    %6 = linalg.matmul ins(%2, %2 : tensor<48x48xbf16>, tensor<48x48xbf16>) outs(%4 : tensor<48x48xf32>) -> tensor<48x48xf32>
    cpu.yield %6 : tensor<48x48xf32> in buffer
  } : tensor<48x48xf32>
  tt.return
}

// Existing decisions are kept, and other nests have no attribute for matmuls.
//
// CHECK-LABEL: @declines
// CHECK: cpu.nest {
// CHECK:   linalg.fill
// CHECK: cpu.nest matmul <tile = [4, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
tt.func public @declines(%x: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = cpu.nest {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %2 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  %3 = cpu.nest matmul <tile = [4, 16], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %4 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %4 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}
