// Loops whose matmuls are multiplied several iterations at a time.
//
// RUN: blockdsl-opt %s --cpu-merge-iterations | FileCheck %s
// RUN: blockdsl-opt %s --cpu-merge-iterations --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] MergedIterations | Category:matmul | Remark="64 iterations of the loop are multiplied together"
// REMARK: [Passed] {{.*}}"4 iterations of the loop are multiplied together"
// REMARK: [Missed] {{.*}}"each iteration of the loop reads and writes all sums, 8192 bytes: an operand is not packed, or is a batch"
// REMARK: [Missed] {{.*}}"each iteration of the loop reads and writes all sums, 8192 bytes: it does more than add up this matmul"
// REMARK: [Passed] {{.*}}"64 iterations of the loop are multiplied together, the right one stays packed for programs that use it next"

#id = affine_map<(d0, d1) -> (d0, d1)>

// The packed operands of 64 iterations fit.
//
// CHECK-LABEL: @packed
// CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>, iterations = 64> {
tt.func public @packed(%x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return
}

// The trip count is four.
//
// CHECK-LABEL: @four
// CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>, iterations = 4> {
tt.func public @four(%x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %c4 step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return
}

// Operands that are read in place are not packed for several iterations.
//
// CHECK-LABEL: @in_place
// CHECK-NOT: iterations
// CHECK: tt.return
tt.func public @in_place(%x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
      %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return
}

// The loop does more than accumulate matmuls.
//
// CHECK-LABEL: @stores
// CHECK-NOT: iterations
// CHECK: tt.return
tt.func public @stores(%x: f32, %n: i32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<32x32xf32>) {
      ^bb0(%e: f32):
        tt.store %p, %e : !tt.ptr<f32>
        linalg.yield
      }
      cpu.yield
    }
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return
}

// Nothing writes to the memory of the right-hand side: four groups of iterations stay packed for the next programs.
//
// CHECK-LABEL: @kept
// CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first, kept = 4>, iterations = 64> {
tt.func public @kept(%x: f32, %n: i32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %q = linalg.fill ins(%p : !tt.ptr<f32>) outs(%p0 : tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32x!tt.ptr<f32>>
      %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%q : tensor<32x32x!tt.ptr<f32>>) outs(%f0 : tensor<32x32xf32>)
      %m = linalg.matmul ins(%b, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return
}

// A store may change the right-hand side.
//
// CHECK-LABEL: @overwritten
// CHECK: cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>, iterations = 64> {
tt.func public @overwritten(%x: f32, %n: i32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [12, 32], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %q = linalg.fill ins(%p : !tt.ptr<f32>) outs(%p0 : tensor<32x32x!tt.ptr<f32>>) -> tensor<32x32x!tt.ptr<f32>>
      %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%q : tensor<32x32x!tt.ptr<f32>>) outs(%f0 : tensor<32x32xf32>)
      %m = linalg.matmul ins(%b, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
