// RUN: blockdsl-opt %s -tt-version-single-iteration-loops | FileCheck %s

// A single iteration is emitted separately with the initial values of the loop, and its result is reduced there.
// CHECK-LABEL: tt.func @row
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<f32>, %[[FROM:.*]]: i32, %[[TO:.*]]: i32)
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00>
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 64 : i32
// CHECK:         %[[SOME:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK:         %[[DISTANCE:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:         %[[FEW:.*]] = arith.cmpi ule, %[[DISTANCE]], %[[STEP]]
// CHECK:         %[[ONCE:.*]] = arith.andi %[[SOME]], %[[FEW]]
// CHECK:         %[[RESULTS:.*]]:2 = scf.if %[[ONCE]] -> (i32, f32)
// CHECK-NOT:       scf.for
// CHECK:           tt.splat %[[FROM]]
// CHECK:           %[[NEXT:.*]] = arith.addf %[[ZEROS]], %{{.*}}
// CHECK:           %[[TOTAL:.*]] = "tt.reduce"(%[[NEXT]])
// CHECK:           scf.yield %{{.*}}, %[[TOTAL]] : i32, f32
// CHECK:         } else {
// CHECK:           %[[LOOP:.*]]:2 = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %[[STEP]]
// CHECK:           %[[SUM:.*]] = "tt.reduce"(%[[LOOP]]#0)
// CHECK:           scf.yield %[[LOOP]]#1, %[[SUM]] : i32, f32
// CHECK:         tt.store %[[P]], %[[RESULTS]]#1
// CHECK:         arith.addi %[[RESULTS]]#0, %[[RESULTS]]#0
tt.func @row(%p: !tt.ptr<f32>, %from: i32, %to: i32) -> i32 {
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %sums:2 = scf.for %i = %from to %to step %step iter_args(%sum = %zeros, %turns = %none) -> (tensor<64xf32>, i32) : i32 {
    %start = tt.splat %i : i32 -> tensor<64xi32>
    %at = arith.addi %start, %range : tensor<64xi32>
    %ps = tt.addptr %base, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %ps : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %sum, %x : tensor<64xf32>
    %more = arith.addi %turns, %one : i32
    scf.yield %next, %more : tensor<64xf32>, i32
  }
  %total = "tt.reduce"(%sums#0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %p, %total : !tt.ptr<f32>
  %twice = arith.addi %sums#1, %sums#1 : i32
  tt.return %twice : i32
}

// Unsigned bounds are compared as unsigned.
// CHECK-LABEL: tt.func @unsigned_bounds
// CHECK:         arith.cmpi ult
// CHECK:         scf.if
tt.func @unsigned_bounds(%from: i32, %to: i32, %x: tensor<64xf32>) -> f32 {
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %step = arith.constant 64 : i32
  %sums = scf.for unsigned %i = %from to %to step %step iter_args(%sum = %zeros) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %sum, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %total = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %total : f32
}

// Not versioned: the block itself is used.
// CHECK-LABEL: tt.func @block_is_used
// CHECK-NOT:     scf.if
tt.func @block_is_used(%from: i32, %to: i32, %x: tensor<64xf32>) -> (f32, tensor<64xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %step = arith.constant 64 : i32
  %sums = scf.for %i = %from to %to step %step iter_args(%sum = %zeros) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %sum, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %total = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %total, %sums : f32, tensor<64xf32>
}

// A reduction that needs what is computed after the loop cannot move in front of it.
// CHECK-LABEL: tt.func @reduced_with_something_later
// CHECK-NOT:     scf.if
tt.func @reduced_with_something_later(%from: i32, %to: i32, %x: tensor<64xf32>) -> f32 {
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %step = arith.constant 64 : i32
  %sums = scf.for %i = %from to %to step %step iter_args(%sum = %zeros) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %sum, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %y = math.exp %x : tensor<64xf32>
  %total:2 = "tt.reduce"(%sums, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %v: f32, %b: f32, %w: f32):
    %c = arith.addf %a, %b : f32
    %d = arith.addf %v, %w : f32
    tt.reduce.return %c, %d : f32, f32
  }) : (tensor<64xf32>, tensor<64xf32>) -> (f32, f32)
  tt.return %total#0 : f32
}

// Not versioned: matmuls, which keep their sums in registers anyway, and loops with inner loops, to avoid copies.
// CHECK-LABEL: tt.func @product
// CHECK-NOT:     scf.if
tt.func @product(%from: i32, %to: i32, %x: tensor<16x16xf32>) -> tensor<16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %step = arith.constant 16 : i32
  %sums = scf.for %i = %from to %to step %step iter_args(%sum = %zeros) -> (tensor<16x16xf32>) : i32 {
    %next = tt.dot %x, %x, %sum : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %total = "tt.reduce"(%sums) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  tt.return %total : tensor<16xf32>
}

// CHECK-LABEL: tt.func @known_turns
// CHECK-NOT:     scf.if
tt.func @known_turns(%x: tensor<64xf32>) -> f32 {
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %from = arith.constant 0 : i32
  %to = arith.constant 256 : i32
  %step = arith.constant 64 : i32
  %sums = scf.for %i = %from to %to step %step iter_args(%sum = %zeros) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %sum, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %total = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %total : f32
}
