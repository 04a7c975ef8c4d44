// The loops that the mask of a nest bounds: which comparisons do, and in which nests.
//
// RUN: blockdsl-opt %s --cpu-select-bounds | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// An index below a number ends the loop.
//
// CHECK-LABEL: @below
// CHECK: cpu.nest {{.*}} mask({{.*}}) bounds <below = [0]> {
tt.func public @below(%x: f32, %n: i32) {
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
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// Only stores may skip the first elements: the whole buffer is computed.
//
// CHECK-LABEL: @from
// CHECK: cpu.nest {{.*}} mask(%{{.*}} : tensor<64xi1>) {
// CHECK: cpu.nest {{.*}} mask(%{{.*}} : tensor<64xi1>) bounds <from = [0]> {
tt.func public @from(%x: f32, %n: i32, %p: !tt.ptr<f32>) {
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
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  %8 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %9 = linalg.fill ins(%p : !tt.ptr<f32>) outs(%8 : tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>>
  %pointers = linalg.map { tt.addptr } ins(%9, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>) outs(%8 : tensor<64x!tt.ptr<f32>>)
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<64x!tt.ptr<f32>>, tensor<64xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// Equality bounds nothing.
//
// CHECK-LABEL: @equal
// CHECK: cpu.nest {{.*}} mask(%{{.*}} : tensor<64xi1>) {
tt.func public @equal(%x: f32, %n: i32) {
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
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// A comparison of two numbers ends the first loop, which then runs completely or not at all.
//
// CHECK-LABEL: @uniform
// CHECK: cpu.nest {{.*}} mask({{.*}}) bounds <below = [0]> {
tt.func public @uniform(%x: f32, %n: i32) {
  %0 = tensor.empty() : tensor<64xi32>
  %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64xi32>) {
  ^bb0(%out: i32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    linalg.yield %2 : i32
  } -> tensor<64xi32>
  %ns = linalg.fill ins(%n : i32) outs(%0 : tensor<64xi32>) -> tensor<64xi32>
  %3 = tensor.empty() : tensor<64xi1>
  %mask = linalg.map { arith.cmpi {predicate = 2 : i64} } ins(%ns, %ns : tensor<64xi32>, tensor<64xi32>) outs(%3 : tensor<64xi1>)
  %5 = tensor.empty() : tensor<64xf32>
  %6 = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<64xi1>) {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// Rows and columns.
//
// CHECK-LABEL: @both
// CHECK: cpu.nest {{.*}} mask({{.*}}) bounds <below = [0, 1]> {
//
// In a reduction of rows each row has a result.
//
// CHECK: cpu.nest {{.*}} mask({{.*}} along 1) bounds <below = [1]> {
tt.func public @both(%n: i32, %m: i32, %x: f32) {
  %0 = tensor.empty() : tensor<8x64xi1>
  %mask = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<8x64xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    %4 = linalg.index 1 : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.cmpi slt, %5, %m : i32
    %7 = arith.andi %3, %6 : i1
    linalg.yield %7 : i1
  } -> tensor<8x64xi1>
  %8 = tensor.empty() : tensor<8x64xf32>
  %9 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> mask(%mask : tensor<8x64xi1>) {
    %10 = linalg.fill ins(%x : f32) outs(%8 : tensor<8x64xf32>) -> tensor<8x64xf32>
    cpu.yield %10 : tensor<8x64xf32> in buffer
  } : tensor<8x64xf32>
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %11 = linalg.fill ins(%x : f32) outs(%8 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %12 = linalg.map { arith.select } ins(%mask, %11, %zero : tensor<8x64xi1>, tensor<8x64xf32>, tensor<8x64xf32>) outs(%8 : tensor<8x64xf32>)
  %13 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> mask(%mask : tensor<8x64xi1> along 1) {
    %14 = "tt.reduce"(%12) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %15 = arith.addf %a, %b : f32
      tt.reduce.return %15 : f32
    }) : (tensor<8x64xf32>) -> tensor<8xf32>
    cpu.yield %14 : tensor<8xf32> in buffer
  } : tensor<8xf32>
  tt.return
}

// Bounds that are there already are kept.
//
// CHECK-LABEL: @given
// CHECK: cpu.nest {{.*}} mask({{.*}}) bounds <below = [1]> {
tt.func public @given(%n: i32, %m: i32, %x: f32, %mask: tensor<8x64xi1>) {
  %8 = tensor.empty() : tensor<8x64xf32>
  %9 = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> mask(%mask : tensor<8x64xi1>) bounds <below = [1]> {
    %10 = linalg.fill ins(%x : f32) outs(%8 : tensor<8x64xf32>) -> tensor<8x64xf32>
    cpu.yield %10 : tensor<8x64xf32> in buffer
  } : tensor<8x64xf32>
  tt.return
}

// Both operands are zero in the same steps of the common dimension. Zero times infinity is NaN, so one is not enough.
//
// CHECK-LABEL: @common
// CHECK: cpu.nest matmul {{.*}} bounds <below = [2]> {
// CHECK: cpu.nest matmul {{.*}} rhs = <layout = packed, order = common_first>> {
tt.func public @common(%p: !tt.ptr<f32>, %n: i32) {
  %f0 = arith.constant 0.0 : f32
  %sums = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = arith.constant dense<1.0> : tensor<32x32xf32>
  %ap0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %ap = linalg.fill ins(%p : !tt.ptr<f32>) outs(%ap0 : tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32x!tt.ptr<f32>>
  %am0 = tensor.empty() : tensor<32x32xi1>
  %am = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%am0 : tensor<32x32xi1>) {
  ^bb0(%out: i1):
    %index = linalg.index 1 : index
    %k = arith.index_cast %index : index to i32
    %below = arith.cmpi slt, %k, %n : i32
    linalg.yield %below : i1
  } -> tensor<32x32xi1>
  %a0 = tensor.empty() : tensor<32x32xf32>
  %a = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%ap, %am : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi1>) outs(%a0 : tensor<32x32xf32>) {
  ^bb0(%pointer: !tt.ptr<f32>, %holds: i1, %out: f32):
    %element = tt.load %pointer, %holds, %f0 : !tt.ptr<f32>
    linalg.yield %element : f32
  } -> tensor<32x32xf32>
  %bp0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %bp = linalg.fill ins(%p : !tt.ptr<f32>) outs(%bp0 : tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32x!tt.ptr<f32>>
  %bm0 = tensor.empty() : tensor<32x32xi1>
  %bm = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%bm0 : tensor<32x32xi1>) {
  ^bb0(%out: i1):
    %index = linalg.index 0 : index
    %k = arith.index_cast %index : index to i32
    %below = arith.cmpi slt, %k, %n : i32
    linalg.yield %below : i1
  } -> tensor<32x32xi1>
  %b0 = tensor.empty() : tensor<32x32xf32>
  %b = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%bp, %bm : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi1>) outs(%b0 : tensor<32x32xf32>) {
  ^bb0(%pointer: !tt.ptr<f32>, %holds: i1, %out: f32):
    %element = tt.load %pointer, %holds, %f0 : !tt.ptr<f32>
    linalg.yield %element : f32
  } -> tensor<32x32xf32>
  %ab = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed, order = common_first>> {
    %m = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%sums : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %ac = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed>, rhs = <layout = packed, order = common_first>> {
    %m = linalg.matmul ins(%a, %c : tensor<32x32xf32>, tensor<32x32xf32>) outs(%sums : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  tt.return
}
