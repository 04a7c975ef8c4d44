// Plans of five kernels: the ops that share a nest, the blocks that are kept, the vector dimension, and the tiling of a
// matmul.
//
// RUN: blockdsl-opt -split-input-file --blockdsl-to-linalg --blockdsl-to-nests="vector-bits=512" %s | FileCheck %s
// RUN: blockdsl-opt -split-input-file --blockdsl-to-linalg --blockdsl-to-nests="vector-bits=256 features=+avx2" %s | FileCheck %s --check-prefix=AVX2

// CHECK-LABEL: tt.func public @softmax(
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : f32 in register
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : tensor<1024xf32> in buffer, {{%[^ ,)]+}} : f32 in register
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> stores <align = true> {
//
// AVX2-LABEL: tt.func public @softmax(
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : f32 in register
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : tensor<1024xf32> in buffer, {{%[^ ,)]+}} : f32 in register
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> stores <align = true> {
module {
  tt.func public @softmax(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: i32, %arg3: i32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %2 = arith.muli %0, %arg2 : i32
    %3 = tt.addptr %arg1, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %5 = tt.addptr %4, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %6 = tt.splat %arg3 : i32 -> tensor<1024xi32>
    %7 = arith.cmpi slt, %1, %6 : tensor<1024xi32>
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<0xFF800000> : tensor<1024xf32>
    %8 = tt.load %5, %7, %cst_0 : tensor<1024x!tt.ptr<f32>>
    %9 = tt.call @blockdsl.language.reductions.max__fp32S1024S_c0_cFalse_cTrue_cFalse(%8) : (tensor<1024xf32>) -> f32
    %10 = tt.splat %9 : f32 -> tensor<1024xf32>
    %11 = arith.subf %8, %10 : tensor<1024xf32>
    %12 = math.exp %11 : tensor<1024xf32>
    %13 = arith.muli %0, %arg2 : i32
    %14 = tt.addptr %arg0, %13 : !tt.ptr<f32>, i32
    %15 = tt.splat %14 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %16 = tt.addptr %15, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %17 = tt.call @blockdsl.language.reductions.sum__fp32S1024S_c0_cFalse_cNone(%12) : (tensor<1024xf32>) -> f32
    %18 = tt.splat %17 : f32 -> tensor<1024xf32>
    %19 = arith.divf %12, %18 : tensor<1024xf32>
    %20 = tt.splat %arg3 : i32 -> tensor<1024xi32>
    %21 = arith.cmpi slt, %1, %20 : tensor<1024xi32>
    tt.store %16, %19, %21 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  tt.func private @blockdsl.language.reductions.max__fp32S1024S_c0_cFalse_cTrue_cFalse(%arg0: tensor<1024xf32>) -> f32 attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 0 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._elementwise_max__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.reduce.return %1 : f32
    }) : (tensor<1024xf32>) -> f32
    tt.return %0 : f32
  }
  tt.func private @blockdsl.language.reductions._elementwise_max__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.maxnumf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
  tt.func private @blockdsl.language.reductions.sum__fp32S1024S_c0_cFalse_cNone(%arg0: tensor<1024xf32>) -> f32 attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 0 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.reduce.return %1 : f32
    }) : (tensor<1024xf32>) -> f32
    tt.return %0 : f32
  }
  tt.func private @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.addf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
}

// -----

// CHECK-LABEL: tt.func public @layer_norm(
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : f32 in register
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : f32 in register
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> stores <align = true> {
//
// AVX2-LABEL: tt.func public @layer_norm(
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : f32 in register
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<1024xi1> along 0) bounds <below = [0]> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : f32 in register
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> stores <align = true> {
module {
  tt.func public @layer_norm(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg4: i32, %arg5: i32, %arg6: f32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %2 = arith.muli %0, %arg4 : i32
    %3 = tt.addptr %arg1, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %5 = tt.addptr %4, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %6 = tt.splat %arg5 : i32 -> tensor<1024xi32>
    %7 = arith.cmpi slt, %1, %6 : tensor<1024xi32>
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<1024xf32>
    %8 = tt.load %5, %7, %cst_0 : tensor<1024x!tt.ptr<f32>>
    %9 = tt.call @blockdsl.language.reductions.sum__fp32S1024S_c0_cFalse_cNone(%8) : (tensor<1024xf32>) -> f32
    %10 = arith.sitofp %arg5 : i32 to f32
    %11 = arith.divf %9, %10 : f32
    %12 = tt.splat %arg5 : i32 -> tensor<1024xi32>
    %13 = arith.cmpi slt, %1, %12 : tensor<1024xi32>
    %14 = tt.splat %11 : f32 -> tensor<1024xf32>
    %15 = arith.subf %8, %14 : tensor<1024xf32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1024xf32>
    %16 = arith.select %13, %15, %cst_2 : tensor<1024xi1>, tensor<1024xf32>
    %17 = arith.mulf %16, %16 : tensor<1024xf32>
    %18 = tt.call @blockdsl.language.reductions.sum__fp32S1024S_c0_cFalse_cNone(%17) : (tensor<1024xf32>) -> f32
    %19 = arith.sitofp %arg5 : i32 to f32
    %20 = arith.divf %18, %19 : f32
    %21 = arith.addf %20, %arg6 : f32
    %22 = math.sqrt %21 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %23 = arith.divf %cst_3, %22 : f32
    %24 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %25 = tt.addptr %24, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %26 = tt.splat %arg5 : i32 -> tensor<1024xi32>
    %27 = arith.cmpi slt, %1, %26 : tensor<1024xi32>
    %28 = tt.load %25, %27 : tensor<1024x!tt.ptr<f32>>
    %29 = tt.splat %arg3 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %30 = tt.addptr %29, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %31 = tt.splat %arg5 : i32 -> tensor<1024xi32>
    %32 = arith.cmpi slt, %1, %31 : tensor<1024xi32>
    %33 = tt.load %30, %32 : tensor<1024x!tt.ptr<f32>>
    %34 = arith.muli %0, %arg4 : i32
    %35 = tt.addptr %arg0, %34 : !tt.ptr<f32>, i32
    %36 = tt.splat %35 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %37 = tt.addptr %36, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %38 = tt.splat %23 : f32 -> tensor<1024xf32>
    %39 = arith.mulf %16, %38 : tensor<1024xf32>
    %40 = arith.mulf %39, %28 : tensor<1024xf32>
    %41 = arith.addf %40, %33 : tensor<1024xf32>
    %42 = tt.splat %arg5 : i32 -> tensor<1024xi32>
    %43 = arith.cmpi slt, %1, %42 : tensor<1024xi32>
    tt.store %37, %41, %43 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  tt.func private @blockdsl.language.reductions.sum__fp32S1024S_c0_cFalse_cNone(%arg0: tensor<1024xf32>) -> f32 attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 0 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.reduce.return %1 : f32
    }) : (tensor<1024xf32>) -> f32
    tt.return %0 : f32
  }
  tt.func private @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.addf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
}

// -----

// The results of a scan are stored in its loops.
// CHECK-LABEL: tt.func public @scan(
// CHECK:       cpu.nest config <order = [], vector = 0, lanes = 16> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> {
// CHECK:         "tt.scan"
// CHECK:         tt.store
// CHECK:         cpu.yield
// CHECK-NOT:   cpu.nest
//
// AVX2-LABEL: tt.func public @scan(
// AVX2:        cpu.nest config <order = [], vector = 0, lanes = 8> mask({{%[^ ,)]+}} : tensor<1024xi1>) bounds <below = [0]> {
// AVX2:          "tt.scan"
// AVX2:          tt.store
// AVX2:          cpu.yield
// AVX2-NOT:    cpu.nest
module {
  tt.func public @scan(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %c1024_i32 = arith.constant 1024 : i32
    %1 = arith.muli %0, %c1024_i32 : i32
    %2 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %3 = tt.splat %1 : i32 -> tensor<1024xi32>
    %4 = arith.addi %3, %2 : tensor<1024xi32>
    %5 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %6 = tt.addptr %5, %4 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %7 = tt.splat %arg2 : i32 -> tensor<1024xi32>
    %8 = arith.cmpi slt, %4, %7 : tensor<1024xi32>
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<1024xf32>
    %9 = tt.load %6, %8, %cst_0 : tensor<1024x!tt.ptr<f32>>
    %10 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %11 = tt.addptr %10, %4 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %12 = tt.call @blockdsl.language.scan.cumsum__fp32S1024S_c0_cFalse_cNone(%9) : (tensor<1024xf32>) -> tensor<1024xf32>
    %13 = tt.splat %arg2 : i32 -> tensor<1024xi32>
    %14 = arith.cmpi slt, %4, %13 : tensor<1024xi32>
    tt.store %11, %12, %14 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  tt.func private @blockdsl.language.scan.cumsum__fp32S1024S_c0_cFalse_cNone(%arg0: tensor<1024xf32>) -> tensor<1024xf32> attributes {noinline = false} {
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.scan.return %1 : f32
    }) : (tensor<1024xf32>) -> tensor<1024xf32>
    tt.return %0 : tensor<1024xf32>
  }
  tt.func private @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.addf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
}

// -----

// CHECK-LABEL: tt.func public @mm(
// CHECK:       cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> when_empty {
// CHECK:         cpu.yield {{%[^ ,)]+}} : tensor<16x32xf32> in destination
// CHECK:       scf.for{{.*}}iter_args({{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}) -> (tensor<16x32xf32>, i64, i64)  : i32 {
// CHECK:         cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = in_place>, rhs_wrapping = <layout = packed, order = common_first>, epilogue = true> mask({{%[^ ,)]+}} : tensor<16x32xi1>) bounds <below = [0, 1, 2]> versions <integers_wrap = true, remainders_wrap = true> prefetch <lhs = next_tile, rhs = next_iteration, lines = 4> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<16x32xf32> in destination
// CHECK:         scf.yield {{%[^ ,)]+}}, {{%[^ ,)]+}}, {{%[^ ,)]+}} : tensor<16x32xf32>, i64, i64
// CHECK:       cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<16x32xi1>) bounds <below = [0, 1]> epilogue {
//
// AVX2-LABEL: tt.func public @mm(
// AVX2:        cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> when_empty {
// AVX2:          cpu.yield {{%[^ ,)]+}} : tensor<16x32xf32> in destination
// AVX2:        scf.for{{.*}}iter_args({{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}) -> (tensor<16x32xf32>, i64, i64)  : i32 {
// AVX2:          cpu.nest matmul <tile = [6, 16], lanes = 8, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = in_place>, rhs_wrapping = <layout = packed, order = common_first, panel = 16>, epilogue = true> mask({{%[^ ,)]+}} : tensor<16x32xi1>) bounds <below = [0, 1, 2]> versions <integers_wrap = true, remainders_wrap = true> prefetch <lhs = next_tile, rhs = next_iteration, lines = 4, panel_steps = 16, sums = true> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<16x32xf32> in destination
// AVX2:          scf.yield {{%[^ ,)]+}}, {{%[^ ,)]+}}, {{%[^ ,)]+}} : tensor<16x32xf32>, i64, i64
// AVX2:        cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<16x32xi1>) bounds <below = [0, 1]> epilogue {
module {
  tt.func public @mm(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32, %arg8: i32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %c16_i32 = arith.constant 16 : i32
    %2 = arith.muli %0, %c16_i32 : i32
    %3 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %4 = tt.splat %2 : i32 -> tensor<16xi32>
    %5 = arith.addi %4, %3 : tensor<16xi32>
    %6 = tt.splat %arg3 : i32 -> tensor<16xi32>
    %7 = arith.remsi %5, %6 : tensor<16xi32>
    %c32_i32 = arith.constant 32 : i32
    %8 = arith.muli %1, %c32_i32 : i32
    %9 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %10 = tt.splat %8 : i32 -> tensor<32xi32>
    %11 = arith.addi %10, %9 : tensor<32xi32>
    %12 = tt.splat %arg4 : i32 -> tensor<32xi32>
    %13 = arith.remsi %11, %12 : tensor<32xi32>
    %14 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %15 = tt.expand_dims %7 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %16 = tt.splat %arg6 : i32 -> tensor<16x1xi32>
    %17 = arith.muli %15, %16 : tensor<16x1xi32>
    %18 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %19 = tt.addptr %18, %17 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %20 = tt.expand_dims %14 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<1> : tensor<1x32xi32>
    %21 = arith.muli %20, %cst : tensor<1x32xi32>
    %22 = tt.broadcast %19 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
    %23 = tt.broadcast %21 : tensor<1x32xi32> -> tensor<16x32xi32>
    %24 = tt.addptr %22, %23 : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %25 = tt.expand_dims %14 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %26 = tt.splat %arg7 : i32 -> tensor<32x1xi32>
    %27 = arith.muli %25, %26 : tensor<32x1xi32>
    %28 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %29 = tt.addptr %28, %27 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %30 = tt.expand_dims %13 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %c1_i32_0 = arith.constant 1 : i32
    %cst_1 = arith.constant dense<1> : tensor<1x32xi32>
    %31 = arith.muli %30, %cst_1 : tensor<1x32xi32>
    %32 = tt.broadcast %29 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x32x!tt.ptr<f32>>
    %33 = tt.broadcast %31 : tensor<1x32xi32> -> tensor<32x32xi32>
    %34 = tt.addptr %32, %33 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %35 = tt.call @blockdsl.language.creation.zeros__Tc16_c32T_cfp32() : () -> tensor<16x32xf32>
    %36 = tt.call @blockdsl.language.math.cdiv__i32_c32(%arg5) : (i32) -> i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32_2 = arith.constant 1 : i32
    %37:3 = scf.for %arg9 = %c0_i32 to %36 step %c1_i32_2 iter_args(%arg10 = %24, %arg11 = %34, %arg12 = %35) -> (tensor<16x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>, tensor<16x32xf32>)  : i32 {
      %65 = tt.expand_dims %14 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %c32_i32_7 = arith.constant 32 : i32
      %66 = arith.muli %arg9, %c32_i32_7 : i32
      %67 = arith.subi %arg5, %66 : i32
      %68 = tt.splat %67 : i32 -> tensor<1x32xi32>
      %69 = arith.cmpi slt, %65, %68 : tensor<1x32xi32>
      %70 = tt.broadcast %69 : tensor<1x32xi1> -> tensor<16x32xi1>
      %cst_8 = arith.constant 0.000000e+00 : f32
      %cst_9 = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
      %71 = tt.load %arg10, %70, %cst_9 : tensor<16x32x!tt.ptr<f32>>
      %72 = tt.expand_dims %14 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %c32_i32_10 = arith.constant 32 : i32
      %73 = arith.muli %arg9, %c32_i32_10 : i32
      %74 = arith.subi %arg5, %73 : i32
      %75 = tt.splat %74 : i32 -> tensor<32x1xi32>
      %76 = arith.cmpi slt, %72, %75 : tensor<32x1xi32>
      %77 = tt.broadcast %76 : tensor<32x1xi1> -> tensor<32x32xi1>
      %cst_11 = arith.constant 0.000000e+00 : f32
      %cst_12 = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
      %78 = tt.load %arg11, %77, %cst_12 : tensor<32x32x!tt.ptr<f32>>
      %79 = tt.dot %71, %78, %arg12, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x32xf32> -> tensor<16x32xf32>
      %c32_i32_13 = arith.constant 32 : i32
      %cst_14 = arith.constant dense<32> : tensor<16x32xi32>
      %80 = tt.addptr %arg10, %cst_14 : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
      %c32_i32_15 = arith.constant 32 : i32
      %81 = arith.muli %c32_i32_15, %arg7 : i32
      %82 = tt.splat %81 : i32 -> tensor<32x32xi32>
      %83 = tt.addptr %arg11, %82 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      scf.yield %80, %83, %79 : tensor<16x32x!tt.ptr<f32>>, tensor<32x32x!tt.ptr<f32>>, tensor<16x32xf32>
    }
    %c16_i32_3 = arith.constant 16 : i32
    %38 = arith.muli %0, %c16_i32_3 : i32
    %39 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %40 = tt.splat %38 : i32 -> tensor<16xi32>
    %41 = arith.addi %40, %39 : tensor<16xi32>
    %c32_i32_4 = arith.constant 32 : i32
    %42 = arith.muli %1, %c32_i32_4 : i32
    %43 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %44 = tt.splat %42 : i32 -> tensor<32xi32>
    %45 = arith.addi %44, %43 : tensor<32xi32>
    %46 = tt.expand_dims %41 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %47 = tt.splat %arg8 : i32 -> tensor<16x1xi32>
    %48 = arith.muli %46, %47 : tensor<16x1xi32>
    %49 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %50 = tt.addptr %49, %48 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %51 = tt.expand_dims %45 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %c1_i32_5 = arith.constant 1 : i32
    %cst_6 = arith.constant dense<1> : tensor<1x32xi32>
    %52 = arith.muli %51, %cst_6 : tensor<1x32xi32>
    %53 = tt.broadcast %50 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
    %54 = tt.broadcast %52 : tensor<1x32xi32> -> tensor<16x32xi32>
    %55 = tt.addptr %53, %54 : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %56 = tt.expand_dims %41 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %57 = tt.splat %arg3 : i32 -> tensor<16x1xi32>
    %58 = arith.cmpi slt, %56, %57 : tensor<16x1xi32>
    %59 = tt.expand_dims %45 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %60 = tt.splat %arg4 : i32 -> tensor<1x32xi32>
    %61 = arith.cmpi slt, %59, %60 : tensor<1x32xi32>
    %62 = tt.broadcast %58 : tensor<16x1xi1> -> tensor<16x32xi1>
    %63 = tt.broadcast %61 : tensor<1x32xi1> -> tensor<16x32xi1>
    %64 = arith.andi %62, %63 : tensor<16x32xi1>
    tt.store %55, %37#2, %64 : tensor<16x32x!tt.ptr<f32>>
    tt.return
  }
  tt.func private @blockdsl.language.creation.zeros__Tc16_c32T_cfp32() -> tensor<16x32xf32> attributes {noinline = false} {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
    tt.return %cst_0 : tensor<16x32xf32>
  }
  tt.func private @blockdsl.language.math.cdiv__i32_c32(%arg0: i32) -> i32 attributes {noinline = false} {
    %c31_i32 = arith.constant 31 : i32
    %0 = arith.addi %arg0, %c31_i32 : i32
    %c32_i32 = arith.constant 32 : i32
    %1 = arith.divsi %0, %c32_i32 : i32
    tt.return %1 : i32
  }
}

// -----

// CHECK-LABEL: tt.func public @attention(
// CHECK:       cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 4> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in buffer
// CHECK:       cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 4> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in destination, {{%[^ ,)]+}} : tensor<64xf32> in destination
// CHECK:       cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 4> {
// CHECK:         cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in destination
// CHECK:       scf.for{{.*}}iter_args({{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
// CHECK:         cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first, along_common = true>> prefetch <rhs = next_iteration, lines = 4> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64x32xf32> in buffer
// CHECK:         cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<64x32xi1> along 1) bounds <below = [1]> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// CHECK:         cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64x32xf32> in buffer
// CHECK:         cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// CHECK:         cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 2> mask({{%[^ ,)]+}} : tensor<64x32xi1> along 1) bounds <below = [1]> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// CHECK:         cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first>> prefetch <rhs = next_iteration, lines = 4> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in destination
// CHECK:         cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
// CHECK:           cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in destination, {{%[^ ,)]+}} : tensor<64xf32> in destination
// CHECK:         scf.yield {{%[^ ,)]+}}, {{%[^ ,)]+}}, {{%[^ ,)]+}} : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
// CHECK:       cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 4> mask({{%[^ ,)]+}} : tensor<64x64xi1>) bounds <below = [0]> {
//
// AVX2-LABEL: tt.func public @attention(
// AVX2:        cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in buffer
// AVX2:        cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 4> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in destination, {{%[^ ,)]+}} : tensor<64xf32> in destination
// AVX2:        cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> {
// AVX2:          cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in destination
// AVX2:        scf.for{{.*}}iter_args({{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}, {{%[^ ,)]+}} = {{%[^ ,)]+}}) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
// AVX2:          cpu.nest matmul <tile = [6, 16], lanes = 8, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first, panel = 16, along_common = true>> prefetch <rhs = next_iteration, lines = 4, panel_steps = 16> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64x32xf32> in buffer
// AVX2:          cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<64x32xi1> along 1) bounds <below = [1]> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// AVX2:          cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 2> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64x32xf32> in buffer
// AVX2:          cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// AVX2:          cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 2> mask({{%[^ ,)]+}} : tensor<64x32xi1> along 1) bounds <below = [1]> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in buffer
// AVX2:          cpu.nest matmul <tile = [6, 16], lanes = 8, instruction = fma, lhs = <layout = in_place>, rhs = <layout = packed, order = common_first, panel = 16>> prefetch <rhs = next_iteration, lines = 4, panel_steps = 16> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64x64xf32> in destination
// AVX2:          cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2> {
// AVX2:            cpu.yield {{%[^ ,)]+}} : tensor<64xf32> in destination, {{%[^ ,)]+}} : tensor<64xf32> in destination
// AVX2:          scf.yield {{%[^ ,)]+}}, {{%[^ ,)]+}}, {{%[^ ,)]+}} : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
// AVX2:        cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> mask({{%[^ ,)]+}} : tensor<64x64xi1>) bounds <below = [0]> {
module {
  tt.func public @attention(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg4: i32 {tt.divisibility = 16 : i32}, %arg5: f32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %c64_i32 = arith.constant 64 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tt.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %7 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %c64_i32_0 = arith.constant 64 : i32
    %cst = arith.constant dense<64> : tensor<64x1xi32>
    %8 = arith.muli %7, %cst : tensor<64x1xi32>
    %9 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %10 = tt.addptr %9, %8 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %11 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %12 = tt.broadcast %10 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %13 = tt.broadcast %11 : tensor<1x64xi32> -> tensor<64x64xi32>
    %14 = tt.addptr %12, %13 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %15 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %16 = tt.splat %arg4 : i32 -> tensor<64x1xi32>
    %17 = arith.cmpi slt, %15, %16 : tensor<64x1xi32>
    %18 = tt.broadcast %17 : tensor<64x1xi1> -> tensor<64x64xi1>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %19 = tt.load %14, %18, %cst_2 : tensor<64x64x!tt.ptr<f32>>
    %cst_3 = arith.constant 0xFF800000 : f32
    %cst_4 = arith.constant dense<0xFF800000> : tensor<64xf32>
    %20 = tt.call @blockdsl.language.creation.zeros__Tc64T_cfp32() : () -> tensor<64xf32>
    %21 = tt.call @blockdsl.language.creation.zeros__Tc64_c64T_cfp32() : () -> tensor<64x64xf32>
    %c0_i32 = arith.constant 0 : i32
    %c32_i32 = arith.constant 32 : i32
    %22:3 = scf.for %arg6 = %c0_i32 to %arg4 step %c32_i32 iter_args(%arg7 = %cst_4, %arg8 = %20, %arg9 = %21) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
      %38 = tt.splat %arg6 : i32 -> tensor<32xi32>
      %39 = arith.addi %38, %6 : tensor<32xi32>
      %40 = tt.expand_dims %39 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %c64_i32_7 = arith.constant 64 : i32
      %cst_8 = arith.constant dense<64> : tensor<1x32xi32>
      %41 = arith.muli %40, %cst_8 : tensor<1x32xi32>
      %42 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<1x32x!tt.ptr<f32>>
      %43 = tt.addptr %42, %41 : tensor<1x32x!tt.ptr<f32>>, tensor<1x32xi32>
      %44 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %45 = tt.broadcast %43 : tensor<1x32x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
      %46 = tt.broadcast %44 : tensor<64x1xi32> -> tensor<64x32xi32>
      %47 = tt.addptr %45, %46 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
      %48 = tt.splat %arg6 : i32 -> tensor<32xi32>
      %49 = arith.addi %48, %6 : tensor<32xi32>
      %50 = tt.expand_dims %49 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %51 = tt.splat %arg4 : i32 -> tensor<1x32xi32>
      %52 = arith.cmpi slt, %50, %51 : tensor<1x32xi32>
      %53 = tt.broadcast %52 : tensor<1x32xi1> -> tensor<64x32xi1>
      %cst_9 = arith.constant 0.000000e+00 : f32
      %cst_10 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
      %54 = tt.load %47, %53, %cst_10 : tensor<64x32x!tt.ptr<f32>>
      %55 = tt.splat %arg6 : i32 -> tensor<32xi32>
      %56 = arith.addi %55, %6 : tensor<32xi32>
      %57 = tt.expand_dims %56 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %c64_i32_11 = arith.constant 64 : i32
      %cst_12 = arith.constant dense<64> : tensor<32x1xi32>
      %58 = arith.muli %57, %cst_12 : tensor<32x1xi32>
      %59 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
      %60 = tt.addptr %59, %58 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
      %61 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %62 = tt.broadcast %60 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
      %63 = tt.broadcast %61 : tensor<1x64xi32> -> tensor<32x64xi32>
      %64 = tt.addptr %62, %63 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
      %65 = tt.splat %arg6 : i32 -> tensor<32xi32>
      %66 = arith.addi %65, %6 : tensor<32xi32>
      %67 = tt.expand_dims %66 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %68 = tt.splat %arg4 : i32 -> tensor<32x1xi32>
      %69 = arith.cmpi slt, %67, %68 : tensor<32x1xi32>
      %70 = tt.broadcast %69 : tensor<32x1xi1> -> tensor<32x64xi1>
      %cst_13 = arith.constant 0.000000e+00 : f32
      %cst_14 = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
      %71 = tt.load %64, %70, %cst_14 : tensor<32x64x!tt.ptr<f32>>
      %cst_15 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
      %72 = tt.dot %19, %54, %cst_15, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x32xf32> -> tensor<64x32xf32>
      %73 = tt.splat %arg5 : f32 -> tensor<64x32xf32>
      %74 = arith.mulf %72, %73 : tensor<64x32xf32>
      %75 = tt.splat %arg6 : i32 -> tensor<32xi32>
      %76 = arith.addi %75, %6 : tensor<32xi32>
      %77 = tt.expand_dims %76 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %78 = tt.splat %arg4 : i32 -> tensor<1x32xi32>
      %79 = arith.cmpi slt, %77, %78 : tensor<1x32xi32>
      %cst_16 = arith.constant 0xFF800000 : f32
      %cst_17 = arith.constant dense<0xFF800000> : tensor<64x32xf32>
      %80 = tt.broadcast %79 : tensor<1x32xi1> -> tensor<64x32xi1>
      %81 = arith.select %80, %74, %cst_17 : tensor<64x32xi1>, tensor<64x32xf32>
      %82 = tt.call @blockdsl.language.reductions.max__fp32S64_32S_c1_cFalse_cTrue_cFalse(%81) : (tensor<64x32xf32>) -> tensor<64xf32>
      %83 = arith.maxnumf %arg7, %82 : tensor<64xf32>
      %84 = tt.expand_dims %83 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %85 = tt.broadcast %84 : tensor<64x1xf32> -> tensor<64x32xf32>
      %86 = arith.subf %81, %85 : tensor<64x32xf32>
      %87 = math.exp %86 : tensor<64x32xf32>
      %88 = arith.subf %arg7, %83 : tensor<64xf32>
      %89 = math.exp %88 : tensor<64xf32>
      %90 = arith.mulf %arg8, %89 : tensor<64xf32>
      %91 = tt.call @blockdsl.language.reductions.sum__fp32S64_32S_c1_cFalse_cNone(%87) : (tensor<64x32xf32>) -> tensor<64xf32>
      %92 = arith.addf %90, %91 : tensor<64xf32>
      %93 = tt.expand_dims %89 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %94 = tt.broadcast %93 : tensor<64x1xf32> -> tensor<64x64xf32>
      %95 = arith.mulf %arg9, %94 : tensor<64x64xf32>
      %96 = tt.dot %87, %71, %95, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
      scf.yield %83, %92, %96 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
    }
    %23 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %c64_i32_5 = arith.constant 64 : i32
    %cst_6 = arith.constant dense<64> : tensor<64x1xi32>
    %24 = arith.muli %23, %cst_6 : tensor<64x1xi32>
    %25 = tt.splat %arg3 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %26 = tt.addptr %25, %24 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %27 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %28 = tt.broadcast %26 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %29 = tt.broadcast %27 : tensor<1x64xi32> -> tensor<64x64xi32>
    %30 = tt.addptr %28, %29 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %31 = tt.expand_dims %22#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %32 = tt.broadcast %31 : tensor<64x1xf32> -> tensor<64x64xf32>
    %33 = arith.divf %22#2, %32 : tensor<64x64xf32>
    %34 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %35 = tt.splat %arg4 : i32 -> tensor<64x1xi32>
    %36 = arith.cmpi slt, %34, %35 : tensor<64x1xi32>
    %37 = tt.broadcast %36 : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %30, %33, %37 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
  tt.func private @blockdsl.language.creation.zeros__Tc64T_cfp32() -> tensor<64xf32> attributes {noinline = false} {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    tt.return %cst_0 : tensor<64xf32>
  }
  tt.func private @blockdsl.language.creation.zeros__Tc64_c64T_cfp32() -> tensor<64x64xf32> attributes {noinline = false} {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    tt.return %cst_0 : tensor<64x64xf32>
  }
  tt.func private @blockdsl.language.reductions.max__fp32S64_32S_c1_cFalse_cTrue_cFalse(%arg0: tensor<64x32xf32>) -> tensor<64xf32> attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._elementwise_max__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.reduce.return %1 : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    tt.return %0 : tensor<64xf32>
  }
  tt.func private @blockdsl.language.reductions._elementwise_max__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.maxnumf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
  tt.func private @blockdsl.language.reductions.sum__fp32S64_32S_c1_cFalse_cNone(%arg0: tensor<64x32xf32>) -> tensor<64xf32> attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = tt.call @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
      tt.reduce.return %1 : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    tt.return %0 : tensor<64xf32>
  }
  tt.func private @blockdsl.language.reductions._sum_combine__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
    %0 = arith.addf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
}
