// RUN: blockdsl-opt %s -split-input-file -tt-mark-accesses | FileCheck %s

// One node for the constant offset, and one access. Only accesses with formulas are kept, each formula once.
// CHECK:      module attributes {blockdsl.access_locations = [#loc{{[0-9]*}}],
// CHECK-SAME: blockdsl.accesses = array<i64: 1, 1, 0, 1, 0, 64, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0>}
tt.func public @kept(%x: !tt.ptr<i32>) {
  %i = tt.load %x : !tt.ptr<i32>
  %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
  tt.store %p, %i : !tt.ptr<i32>
  tt.store %x, %i : !tt.ptr<i32>
  tt.return
}

// -----

// Without formulas there is no attribute.
// CHECK-LABEL: // -----
// CHECK-NOT:   blockdsl.accesses
tt.func public @unknown(%pp: !tt.ptr<!tt.ptr<i32>>, %c: !tt.ptr<i1>) {
  %b = arith.constant false
  %q = tt.load %pp, %b : !tt.ptr<!tt.ptr<i32>>
  %i = tt.load %q : !tt.ptr<i32>
  tt.return
}
