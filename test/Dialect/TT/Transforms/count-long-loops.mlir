// RUN: blockdsl-opt %s -tt-count-long-loops | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg | FileCheck %s --check-prefix=LINALG
// Loops whose constant bounds differ by more than the largest signed number: the canonicalizer would remove them.

// CHECK-LABEL: @all_numbers
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 1073741824 : i32
// CHECK-DAG:     %[[TURNS:.*]] = arith.select
// CHECK:         scf.for unsigned %[[TURN:.*]] = %{{.*}} to %[[TURNS]] step %{{.*}}  : i32 {
// CHECK:           %[[WAY:.*]] = arith.muli %[[TURN]], %[[STEP]]
// CHECK:           %[[I:.*]] = arith.addi %[[LEAST]], %[[WAY]]
// CHECK:           tt.store %{{.*}}, %[[I]]
tt.func @all_numbers(%p: !tt.ptr<i32>) {
  %least = arith.constant -2147483648 : i32
  %largest = arith.constant 2147483647 : i32
  %step = arith.constant 1073741824 : i32
  scf.for %i = %least to %largest step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// Also with computed constants.
// CHECK-LABEL: @folded
// CHECK:         scf.for unsigned
tt.func @folded(%p: !tt.ptr<i32>, %step: i32) {
  %largest = arith.constant 2147483647 : i32
  %two = arith.constant 2 : i32
  %least = arith.addi %largest, %two : i32
  scf.for %i = %least to %two step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: @others
// CHECK-NOT:     unsigned
// CHECK:         tt.return
tt.func @others(%p: !tt.ptr<i32>, %n: i32) {
  %least = arith.constant -2147483648 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus_one = arith.constant -1 : i32
  scf.for %i = %least to %minus_one step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %least to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %least step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// Also with constants from inline assembly.
// LINALG-LABEL: @assembled
// LINALG:         scf.for unsigned
tt.func @assembled(%p: !tt.ptr<i32>, %n: i32) {
  %least = arith.constant -2147483648 : i32
  %step = arith.constant 1073741824 : i32
  %zero = tt.elementwise_inline_asm "and.b32 $0, $1, 0;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32
  scf.for %i = %least to %zero step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
