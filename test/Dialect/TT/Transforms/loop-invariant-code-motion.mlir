// RUN: blockdsl-opt %s -triton-licm | FileCheck %s

// A load that every iteration makes is hoisted under the condition that there is an iteration.
// CHECK-LABEL: tt.func @load_without_mask
// CHECK: %[[TURNS:.*]] = arith.cmpi slt, %[[LOW:.*]], %[[HIGH:.*]] : i32
// CHECK: %[[MASK:.*]] = tt.splat %[[TURNS]] : i1 -> tensor<64xi1>
// CHECK: %[[X:.*]] = tt.load %{{.*}}, %[[MASK]] : tensor<64x!tt.ptr<f32>>
// CHECK: arith.addf %[[X]], %[[X]]
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]]
// CHECK-NOT: tt.load
tt.func @load_without_mask(%p: tensor<64x!tt.ptr<f32>>, %low: i32, %high: i32, %init: tensor<64xf32>) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %low to %high step %c1 iter_args(%sum = %init) -> (tensor<64xf32>) : i32 {
    %1 = tt.load %p : tensor<64x!tt.ptr<f32>>
    %2 = arith.addf %1, %1 : tensor<64xf32>
    %3 = arith.addf %sum, %2 : tensor<64xf32>
    scf.yield %3 : tensor<64xf32>
  }
  tt.return %0 : tensor<64xf32>
}

// CHECK-LABEL: tt.func @load_with_mask
// CHECK-SAME: (%{{[^:]*}}: tensor<64x!tt.ptr<f32>>, %[[M:[^:]*]]: tensor<64xi1>,
// CHECK: %[[TURNS:.*]] = arith.cmpi ult
// CHECK: %[[ALL:.*]] = tt.splat %[[TURNS]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[ALL]], %[[M]]
// CHECK: tt.load %{{.*}}, %[[BOTH]]
// CHECK: scf.for
tt.func @load_with_mask(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %n: i32, %init: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (tensor<64xf32>) : i32 {
    %1 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
    %2 = arith.addf %sum, %1 : tensor<64xf32>
    scf.yield %2 : tensor<64xf32>
  }
  tt.return %0 : tensor<64xf32>
}

// Hoisted out of two loops, each of which may have no iteration.
// CHECK-LABEL: tt.func @load_in_two_loops
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi slt
// CHECK: tt.load
// CHECK: scf.for
// CHECK: scf.for
tt.func @load_in_two_loops(%p: !tt.ptr<f32>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> (f32) : i32 {
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %outer) -> (f32) : i32 {
      %2 = tt.load %p : !tt.ptr<f32>
      %3 = arith.addf %sum, %2 : f32
      scf.yield %3 : f32
    }
    scf.yield %1 : f32
  }
  tt.return %0 : f32
}

// Not hoisted: loads in a loop that stores, and volatile loads.
// CHECK-LABEL: tt.func @loads_that_stay
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.store
// CHECK: scf.for
// CHECK: tt.load
tt.func @loads_that_stay(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %1 = tt.load %p : !tt.ptr<f32>
    tt.store %q, %1 : !tt.ptr<f32>
  }
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (f32) : i32 {
    %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %2 = arith.addf %sum, %1 : f32
    scf.yield %2 : f32
  }
  tt.return %0 : f32
}

// Arithmetic is also hoisted out of a loop that waits; its loads are not.
// CHECK-LABEL: tt.func @loop_that_waits
// CHECK: arith.cmpi slt
// CHECK: scf.while
// CHECK: tt.load
tt.func @loop_that_waits(%p: !tt.ptr<f32>, %m: i32, %n: i32, %init: f32) -> f32 {
  %0 = scf.while (%x = %init) : (f32) -> f32 {
    %1 = arith.cmpi slt, %m, %n : i32
    scf.condition(%1) %x : f32
  } do {
  ^bb0(%x: f32):
    %2 = tt.load %p : !tt.ptr<f32>
    scf.yield %2 : f32
  }
  tt.return %0 : f32
}

// CHECK-LABEL: tt.func @loop_left_alone
// CHECK: scf.for
// CHECK: math.exp
tt.func @loop_left_alone(%x: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) : i32 {
    %4 = math.exp %x : f32
    %5 = arith.addf %sum, %4 : f32
    scf.yield %5 : f32
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
  tt.return %3 : f32
}
