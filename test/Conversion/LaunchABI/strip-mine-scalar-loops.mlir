// RUN: blockdsl-opt %s --strip-mine-scalar-loops -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @unknown
// CHECK-SAME:    %[[LOW:.*]]: i32, %[[HIGH:.*]]: i32, %[[START:.*]]: f32
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:   %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:       %[[TURNS:.*]] = arith.cmpi slt, %[[LOW]], %[[HIGH]]
// CHECK:       %[[ALL:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK:       %[[DISTANCE:.*]] = arith.select %[[TURNS]], %[[ALL]], %{{.*}}
// CHECK:       %[[STRIP:.*]] = arith.shli %[[ONE]], %c16_i32
// CHECK:       %[[LONG:.*]] = arith.cmpi ugt, %[[ONE]], %c32767_i32
// CHECK:       %[[SIZE:.*]] = arith.select %[[LONG]], %c-1_i32, %[[STRIP]]
// CHECK:       %[[WHILE:.*]]:3 = scf.while (%[[AT:.*]] = %[[LOW]], %[[REST:.*]] = %[[DISTANCE]], %[[SUM:.*]] = %[[START]])
// CHECK:         %[[TAKEN:.*]] = arith.minui %[[SIZE]], %[[REST]]
// CHECK:         %[[END:.*]] = arith.addi %[[AT]], %[[TAKEN]]
// CHECK:         %[[SUMS:.*]] = scf.for %[[I:.*]] = %[[AT]] to %[[END]] step %[[ONE]] iter_args(%[[S:.*]] = %[[SUM]])
// CHECK-NEXT:      arith.sitofp %[[I]]
// CHECK:         } {llvm.kept}
// CHECK:         %[[LEFT:.*]] = arith.subi %[[REST]], %[[TAKEN]]
// CHECK:         %[[GOES:.*]] = arith.cmpi ne, %[[LEFT]], %{{.*}}
// CHECK:         scf.condition(%[[GOES]]) %[[END]], %[[LEFT]], %[[SUMS]]
// CHECK:       } do {
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    scf.yield
// CHECK:       return %[[WHILE]]#2
func.func @unknown(%low: i32, %high: i32, %start: f32) -> f32 {
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %low to %high step %one iter_args(%s = %start) -> (f32) : i32 {
    %x = arith.sitofp %i : i32 to f32
    %next = arith.addf %s, %x : f32
    scf.yield %next : f32
  } {blockdsl.scalar_loop, llvm.kept}
  return %sum : f32
}

// -----

// A strip counts the iterations of inner loops: four iterations take two bits.
// CHECK-LABEL: func.func @inner_turns
// CHECK:       arith.shli %{{.*}}, %c13
// CHECK:       scf.while
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:   blockdsl.
func.func @inner_turns(%n: i64, %p: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    scf.for %j = %c0 to %c4 step %c1 : i64 {
      llvm.store %j, %p : i64, !llvm.ptr
    } {blockdsl.scalar_loop}
  } {blockdsl.scalar_loop}
  return
}

// -----

// A loop of few iterations has no poll; a loop around a loop of unknown length polls in each iteration.
// CHECK-LABEL: func.func @known
// CHECK-NOT:   scf.while
// CHECK:       return
func.func @known(%p: !llvm.ptr) {
  %c-5 = arith.constant -5 : i64
  %c2 = arith.constant 2 : i64
  %c100000 = arith.constant 100000 : i64
  scf.for %i = %c-5 to %c100000 step %c2 : i64 {
    llvm.store %i, %p : i64, !llvm.ptr
  } {blockdsl.scalar_loop}
  return
}

// CHECK-LABEL: func.func @nested
// CHECK:       scf.for
// CHECK:         scf.while
// CHECK:           scf.for
// CHECK:       } {blockdsl.source_loop}
// CHECK:       scf.for
// CHECK-NEXT:    scf.while
// CHECK-NOT:     scf.for
// CHECK:       } {blockdsl.source_loop}
func.func @nested(%n: i32, %p: !llvm.ptr) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  scf.for %i = %c0 to %c7 step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      llvm.store %j, %p : i32, !llvm.ptr
    } {blockdsl.scalar_loop}
  } {blockdsl.scalar_loop}
  scf.for %i = %c0 to %c7 step %c1 : i32 {
    scf.while (%k = %n) : (i32) -> i32 {
      %goes = arith.cmpi slt, %k, %c7 : i32
      scf.condition(%goes) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.addi %k, %c1 : i32
      scf.yield %next : i32
    }
  } {blockdsl.scalar_loop}
  return
}

// -----

// Unsigned bounds are compared as unsigned; other loops are unchanged.
// CHECK-LABEL: func.func @unsigned
// CHECK:       arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK:       scf.while
// CHECK:         scf.for unsigned
// CHECK:       scf.for %{{.*}} = %arg0 to %arg1
// CHECK-NOT:   scf.while
func.func @unsigned(%low: i32, %high: i32, %step: i32, %p: !llvm.ptr) {
  scf.for unsigned %i = %low to %high step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  } {blockdsl.scalar_loop}
  scf.for %i = %low to %high step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}
