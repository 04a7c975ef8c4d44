// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// A loop ends although the sum of its last value and the step wraps.

// A step of one reaches the bound itself.
// CHECK-LABEL: func.func @by_one
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}  : i32 {
tt.func @by_one(%p: !tt.ptr<i32>, %low: i32, %high: i32) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %low to %high step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// From a lower bound that is not negative, the last step does not wrap as an unsigned number.
// CHECK-LABEL: func.func @from_zero
// CHECK:         %[[HIGH:.*]] = arith.maxsi %arg1, %{{.*}} : i32
// CHECK:         scf.for unsigned %{{.*}} = %{{.*}} to %[[HIGH]] step %{{.*}}
tt.func @from_zero(%p: !tt.ptr<i32>, %high: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  scf.for %i = %c0 to %high step %c64 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: func.func @far_from_the_end
// CHECK-NOT:     arith.maxsi
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}  : i32 {
tt.func @far_from_the_end(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %high = arith.divsi %n, %c64 : i32
  scf.for %i = %c0 to %high step %c64 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// Other loops count their iterations.
// CHECK-LABEL: func.func @from_anywhere
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr{{.*}}, %[[LOW:.*]]: i32{{.*}}, %[[GIVEN:.*]]: i32{{.*}}, %[[STEP:.*]]: i32
// CHECK:         %[[GOES:.*]] = arith.cmpi sgt, %[[STEP]]
// CHECK:         %[[HIGH:.*]] = arith.select %[[GOES]], %[[GIVEN]], %[[LOW]]
// CHECK:         arith.cmpi slt, %[[LOW]], %[[HIGH]]
// CHECK:         arith.divui
// CHECK:         scf.for unsigned %[[TURN:.*]] = %c0_i32
// CHECK:           %[[WAY:.*]] = arith.muli %[[TURN]], %[[STEP]]
// CHECK:           arith.addi %[[LOW]], %[[WAY]]
tt.func @from_anywhere(%p: !tt.ptr<i32>, %low: i32, %high: i32, %step: i32) {
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
