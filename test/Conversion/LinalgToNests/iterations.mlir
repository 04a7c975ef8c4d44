// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests=alias=unknown | FileCheck %s --check-prefix=UNKNOWN

// A loop that only accumulates matmuls: iterations are multiplied together up to 512 KiB for a packed operand. The left
// side is read in place if its rows permit it, and the right side stays packed for the next programs, in parts of
// 512 KiB up to 1 MiB.
// CHECK-LABEL: tt.func @added_up
// CHECK:         cpu.nest matmul <tile = [6, 64],
// CHECK-SAME:      lhs = <layout = packed, along_common = true, try_in_place = true>,
// CHECK-SAME:      rhs = <layout = packed, order = common_first, kept = 2>,
// CHECK-SAME:      iterations = 64>
// Where the result may overlap the right side, it may change before the next program.
// UNKNOWN-LABEL: tt.func @added_up
// UNKNOWN:         rhs = <layout = packed, order = common_first>, iterations = 64>
tt.func @added_up(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %a_pitch = arith.constant dense<1024> : tensor<64x1xi32>
  %b_pitch = arith.constant dense<1024> : tensor<32x1xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ks = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %a_pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %c0 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %from = arith.muli %turn, %size : i32
    %first = tt.splat %from : i32 -> tensor<32xi32>
    %k = arith.addi %ks, %first : tensor<32xi32>
    %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %k1 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<64x32xi32>
    %a_at = arith.addi %r2, %k1 : tensor<64x32xi32>
    %ap = tt.addptr %as, %a_at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %k3 = arith.muli %k2, %b_pitch : tensor<32x1xi32>
    %k4 = tt.broadcast %k3 : tensor<32x1xi32> -> tensor<32x64xi32>
    %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<32x64xi32>
    %b_at = arith.addi %k4, %c1 : tensor<32x64xi32>
    %bp = tt.addptr %bs, %b_at : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<32x64x!tt.ptr<f32>>
    %z = tt.dot %x, %y, %acc : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %r3 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %c_at = arith.addi %r3, %c2 : tensor<64x64xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %c_at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Three iterations are one group. The sums are stored to the memory of the right side, so that is packed for each
// program; the left side is contiguous along its rows, and is packed as well.
// CHECK-LABEL: tt.func @in_place_of_the_right_side
// CHECK:         lhs = <layout = packed{{[^>]*}}>, rhs = <layout = packed, order = common_first>,
// CHECK-NOT:     kept
// CHECK-NOT:     try_in_place
// CHECK:         iterations = 3>
tt.func @in_place_of_the_right_side(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %turns = arith.constant 3 : i32
  %size = arith.constant 32 : i32
  %pitch = arith.constant dense<1024> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %from = arith.muli %turn, %size : i32
    %first = tt.splat %from : i32 -> tensor<32xi32>
    %k = arith.addi %range, %first : tensor<32xi32>
    %k2 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %k3 = arith.muli %k2, %pitch : tensor<32x1xi32>
    %k4 = tt.broadcast %k3 : tensor<32x1xi32> -> tensor<32x32xi32>
    %at = arith.addi %k4, %c1 : tensor<32x32xi32>
    %ap = tt.addptr %as, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bp = tt.addptr %bs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
    %y = tt.load %bp : tensor<32x32x!tt.ptr<f32>>
    %z = tt.dot %t, %y, %acc : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %z : tensor<32x32xf32>
  }
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %to = arith.addi %r2, %c1 : tensor<32x32xi32>
  %cp = tt.addptr %bs, %to : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %cp, %sum : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A loop that does something else, and one whose scalar load may not move, run one iteration at a time.
// CHECK-LABEL: tt.func @row_sums_beside
// CHECK:         cpu.nest matmul
// CHECK-NOT:     iterations
// CHECK-LABEL: tt.func @volatile_scalar
// CHECK:         cpu.nest matmul
// CHECK-NOT:     iterations
tt.func @row_sums_beside(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %sum, %rows = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero, %row = %zeros) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %add = arith.addf %l, %r : f32
      tt.reduce.return %add : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.addf %row, %s : tensor<32xf32>
    scf.yield %z, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %cp, %sum : tensor<32x32x!tt.ptr<f32>>
  %ds = tt.splat %c : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %dp = tt.addptr %ds, %range : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %dp, %rows : tensor<32x!tt.ptr<f32>>
  tt.return
}

tt.func @volatile_scalar(%a: !tt.ptr<f32>, %from: !tt.ptr<i32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %offset = tt.load %from {isVolatile = true} : !tt.ptr<i32>
    %first = tt.addptr %a, %offset : !tt.ptr<f32>, i32
    %as = tt.splat %first : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %ap = tt.addptr %as, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %z : tensor<32x32xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %cp, %sum : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
