// The vector dimension, the lanes and the order of loops of a nest, by its accesses and its cost.
//
// RUN: blockdsl-opt %s --cpu-select-nest-config | FileCheck %s
// RUN: blockdsl-opt %s --cpu-select-nest-config="vector-bits=256 features=+avx2" | FileCheck %s --check-prefix=AVX2

#id = affine_map<(d0, d1) -> (d0, d1)>


// A step of a cheap body is four vectors, if there are enough elements.
//
// CHECK-LABEL: @cheap
// CHECK: cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 4> {
// AVX2-LABEL: @cheap
// AVX2: cpu.nest config <order = [0, 1], vector = 1, lanes = 8, interleave = 4> {
tt.func public @cheap(%x: f32) {
  %0 = tensor.empty() : tensor<4x64xf32>
  %1 = cpu.nest {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<4x64xf32>) -> tensor<4x64xf32>
    cpu.yield %2 : tensor<4x64xf32> in buffer
  } : tensor<4x64xf32>
  tt.return
}

// A step of a polynomial is two vectors.
//
// CHECK-LABEL: @polynomial
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
tt.func public @polynomial(%x: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %3 = linalg.map { math.exp } ins(%2 : tensor<64xf32>) outs(%0 : tensor<64xf32>)
    cpu.yield %3 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// The cost includes values that another nest has computed: a step of the sum is two vectors as well.
//
// CHECK-LABEL: @cost_of_a_kept_block
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
// CHECK:   "tt.reduce"
tt.func public @cost_of_a_kept_block(%x: f32) {
  %0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %3 = linalg.map { math.exp } ins(%2 : tensor<64xf32>) outs(%0 : tensor<64xf32>)
    cpu.yield %3 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  %4 = cpu.nest {
    %5 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %6 = arith.addf %a, %b : f32
      tt.reduce.return %6 : f32
    }) : (tensor<64xf32>) -> f32
    cpu.yield %5 : f32 in register
  } : f32
  tt.return
}

// The vectors of a sum along the rows run along the columns, which are contiguous in the buffer.
//
// CHECK-LABEL: @reduced_dimension
// CHECK: cpu.nest config <order = [1, 0], vector = 1, lanes = 16, interleave = 4> {
// CHECK:   "tt.reduce"
tt.func public @reduced_dimension(%n: i32, %init: f32) {
  %c1 = arith.constant 1 : i32
  %0 = tensor.empty() : tensor<8x64xf32>
  %1 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %2 = linalg.fill ins(%init : f32) outs(%0 : tensor<8x64xf32>) -> tensor<8x64xf32>
    cpu.yield %2 : tensor<8x64xf32> in buffer
  } : tensor<8x64xf32>
  %3 = cpu.nest {
    %4 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %5 = arith.addf %a, %b : f32
      tt.reduce.return %5 : f32
    }) : (tensor<8x64xf32>) -> tensor<64xf32>
    cpu.yield %4 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// The stores are contiguous along dimension 0 and the loads along dimension 1: the loads are transposed.
//
// CHECK-LABEL: @transposed
// CHECK: cpu.nest config <order = [1, 0], vector = 0, lanes = 16, transpose = <dim = 1, square = 16, rows = 16>> {
// AVX2-LABEL: @transposed
// AVX2: cpu.nest config <order = [1, 0], vector = 0, lanes = 16, transpose = <dim = 1, square = 8, rows = 16>> {
tt.func public @transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c64 = arith.constant 64 : i32
  %p0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<64x64xf32>
  cpu.nest {
    %from = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%o: !tt.ptr<f32>):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %row = arith.index_cast %i : index to i32
      %column = arith.index_cast %j : index to i32
      %start = arith.muli %row, %c64 : i32
      %offset = arith.addi %start, %column : i32
      %p = tt.addptr %x, %offset : !tt.ptr<f32>, i32
      linalg.yield %p : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%o: !tt.ptr<f32>):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %row = arith.index_cast %i : index to i32
      %column = arith.index_cast %j : index to i32
      %start = arith.muli %column, %c64 : i32
      %offset = arith.addi %start, %row : i32
      %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
      linalg.yield %p : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%from : tensor<64x64x!tt.ptr<f32>>) outs(%f0 : tensor<64x64xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %v : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// A volatile load has no vector form.
//
// CHECK-LABEL: @volatile
// CHECK: cpu.nest config <order = [0]> {
tt.func public @volatile(%x: !tt.ptr<f32>) {
  %p0 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<64xf32>
  %1 = cpu.nest {
    %p = linalg.fill ins(%x : !tt.ptr<f32>) outs(%p0 : tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>>
    %v = linalg.map { tt.load {isVolatile = true, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%p : tensor<64x!tt.ptr<f32>>) outs(%f0 : tensor<64xf32>)
    cpu.yield %v : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// A scan along the rows has its vectors along the rows, with a loop over the others.
//
// CHECK-LABEL: @scan
// CHECK: cpu.nest config <order = [0], vector = 1, lanes = 16> {
tt.func public @scan(%x: f32) {
  %0 = tensor.empty() : tensor<4x64xf32>
  %1 = cpu.nest {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %3 = "tt.scan"(%2) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %4 = arith.addf %a, %b : f32
      tt.scan.return %4 : f32
    }) : (tensor<4x64xf32>) -> tensor<4x64xf32>
    cpu.yield %3 : tensor<4x64xf32> in buffer
  } : tensor<4x64xf32>
  tt.return
}

// Lanes of a product are rows: a running product has no cheap steps within a vector. Squares of 16 rows fill the
// registers, squares of 8 run two at a time.
//
// CHECK-LABEL: @scan_of_products
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16, transpose = <dim = 1, square = 16, rows = 16>> {
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 8, interleave = 2, transpose = <dim = 1, square = 8, rows = 8>> {
tt.func public @scan_of_products(%x: f32, %y: f64) {
  %0 = tensor.empty() : tensor<32x64xf32>
  %1 = tensor.empty() : tensor<32x64xf64>
  %2 = cpu.nest {
    %4 = linalg.fill ins(%x : f32) outs(%0 : tensor<32x64xf32>) -> tensor<32x64xf32>
    %5 = "tt.scan"(%4) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %6 = arith.mulf %a, %b : f32
      tt.scan.return %6 : f32
    }) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    cpu.yield %5 : tensor<32x64xf32> in buffer
  } : tensor<32x64xf32>
  %3 = cpu.nest {
    %4 = linalg.fill ins(%y : f64) outs(%1 : tensor<32x64xf64>) -> tensor<32x64xf64>
    %5 = "tt.scan"(%4) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f64, %b: f64):
      %6 = arith.mulf %a, %b : f64
      tt.scan.return %6 : f64
    }) : (tensor<32x64xf64>) -> tensor<32x64xf64>
    cpu.yield %5 : tensor<32x64xf64> in buffer
  } : tensor<32x64xf64>
  tt.return
}

// Existing decisions are kept, and a matmul has no configuration of loops.
//
// CHECK-LABEL: @declines
// CHECK: cpu.nest config <order = [0, 1]> {
// CHECK: cpu.nest {
// CHECK:   linalg.matmul
tt.func public @declines(%x: f32) {
  %0 = tensor.empty() : tensor<16x16xf32>
  %1 = cpu.nest config <order = [0, 1]> {
    %2 = linalg.fill ins(%x : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %2 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  %3 = cpu.nest {
    %4 = linalg.matmul ins(%1, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%1 : tensor<16x16xf32>) -> tensor<16x16xf32>
    cpu.yield %4 : tensor<16x16xf32> in buffer
  } : tensor<16x16xf32>
  tt.return
}
