// RUN: blockdsl-opt %s -triton-loop-aware-cse | FileCheck %s

// Counters that depend on each other are merged if all of them are equal.
// CHECK-LABEL: tt.func @counters_of_a_ring
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[PLACE:.*]] = %c0_i32, %[[PHASE:.*]] = %c0_i32) -> (i32, i32)
// CHECK: %[[NEXT:.*]] = arith.addi %[[PLACE]], %c1_i32
// CHECK: %[[END:.*]] = arith.cmpi eq, %[[NEXT]], %c2_i32
// CHECK: %[[WRAPPED:.*]] = arith.select %[[END]], %c0_i32, %[[NEXT]]
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: %[[TURNED:.*]] = arith.select %[[END]], %[[OTHER]], %[[PHASE]]
// CHECK: tt.store
// CHECK: scf.yield %[[WRAPPED]], %[[TURNED]] : i32, i32
// CHECK: tt.return %[[R]]#0, %[[R]]#0, %[[R]]#1, %[[R]]#1
tt.func @counters_of_a_ring(%n: i32, %p: !tt.ptr<i32>) -> (i32, i32, i32, i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %r:4 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%a = %c0_i32, %b = %c0_i32, %c = %c0_i32, %d = %c0_i32) -> (i32, i32, i32, i32) : i32 {
    %a1 = arith.addi %a, %c1_i32 : i32
    %aEnd = arith.cmpi eq, %a1, %c2_i32 : i32
    %aNext = arith.select %aEnd, %c0_i32, %a1 : i32
    %c1 = arith.xori %c, %c1_i32 : i32
    %cNext = arith.select %aEnd, %c1, %c : i32
    %b1 = arith.addi %b, %c1_i32 : i32
    %bEnd = arith.cmpi eq, %b1, %c2_i32 : i32
    %bNext = arith.select %bEnd, %c0_i32, %b1 : i32
    %d1 = arith.xori %d, %c1_i32 : i32
    %dNext = arith.select %bEnd, %d1, %d : i32
    %sum = arith.addi %aNext, %dNext : i32
    tt.store %p, %sum : !tt.ptr<i32>
    scf.yield %aNext, %bNext, %cNext, %dNext : i32, i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}

// Counters that a third one makes different are not merged.
// CHECK-LABEL: tt.func @values_that_part
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0_i32, %{{.*}} = %c0_i32, %{{.*}} = %c0_i32)
tt.func @values_that_part(%n: i32) -> (i32, i32, i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%a = %c0_i32, %b = %c0_i32, %c = %c0_i32) -> (i32, i32, i32) : i32 {
    %a1 = arith.addi %a, %c : i32
    %b1 = arith.addi %b, %a : i32
    %c1 = arith.addi %c, %c1_i32 : i32
    scf.yield %a1, %b1, %c1 : i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// Not merged: two loads in a loop that stores, and values with different initial values.
// CHECK-LABEL: tt.func @left_alone
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
tt.func @left_alone(%n: i32, %p: !tt.ptr<i32>, %x: i32) -> (i32, i32, i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%a = %x, %b = %x, %c = %c1_i32) -> (i32, i32, i32) : i32 {
    %a1 = tt.load %p : !tt.ptr<i32>
    tt.store %p, %i : !tt.ptr<i32>
    %b1 = tt.load %p : !tt.ptr<i32>
    %s = arith.addi %a, %b : i32
    %c1 = arith.addi %s, %c : i32
    scf.yield %a1, %b1, %c1 : i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2 : i32, i32, i32
}
