// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// Nests that share a loop, and blocks that are materialized.

// Two stores over one domain: one loop, one load, no buffer.
// CHECK-LABEL: func.func @stores_share_a_loop
// CHECK-NOT:     llvm.alloca
// CHECK-COUNT-1: scf.for
// CHECK-COUNT-1: llvm.load
// CHECK-COUNT-2: llvm.store
// CHECK-NOT:     scf.for
// CHECK:         return
tt.func @stores_share_a_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %zp = tt.addptr %zs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %s = arith.addf %v, %v : tensor<1024xf32>
  %p = arith.mulf %v, %v : tensor<1024xf32>
  tt.store %yp, %s : tensor<1024x!tt.ptr<f32>>
  tt.store %zp, %p : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The exponential is summed and kept in the same loop, and read back by the division: computed once.
// CHECK-LABEL: func.func @dear_value_is_kept
// CHECK:         %[[KEPT:.*]] = llvm.alloca
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK:           math.exp
// CHECK:           llvm.store
// CHECK:           scf.yield
// CHECK:         scf.for
// CHECK-NOT:       math.exp
// CHECK:           arith.divf
tt.func @dear_value_is_kept(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %e = math.exp %v : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %sums : tensor<1024xf32>
  tt.store %yp, %q : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A store would clobber a load before its consumer: the value is materialized first.
// CHECK-LABEL: func.func @overtaken_load_is_kept
// CHECK:         %[[KEPT:.*]] = llvm.alloca
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} -> vector
// CHECK:           llvm.store
tt.func @overtaken_load_is_kept(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %mirror = arith.subi %last, %range : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %mp = tt.addptr %xs, %mirror : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  tt.store %mp, %zero : tensor<1024x!tt.ptr<f32>>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// An update in place reads each element before the same element is written.
// CHECK-LABEL: func.func @update_in_place
// CHECK-NOT:     llvm.alloca
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
tt.func @update_in_place(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %s = arith.addf %v, %v : tensor<1024xf32>
  tt.store %xp, %s : tensor<1024x!tt.ptr<f32>>
  tt.return
}
