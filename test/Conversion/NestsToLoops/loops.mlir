// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// Loop-carried blocks are in buffers that the body updates.

// CHECK-LABEL: func.func @running_sum
// CHECK:         %[[SUM:.*]] = llvm.alloca %{{.*}} x f32
// CHECK:         scf.for
// CHECK:           llvm.store
// CHECK-NOT:       llvm.alloca
// CHECK:         } {blockdsl.source_loop}
// CHECK:         llvm.load %[[SUM]]
tt.func @running_sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) : i32 {
    %start = arith.muli %i, %c64 : i32
    %starts = tt.splat %start : i32 -> tensor<64xi32>
    %at = arith.addi %starts, %range : tensor<64xi32>
    %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tt.store %yp, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A loop that swaps two blocks: neither may be written before both are read.
// CHECK-LABEL: func.func @swapped_on_every_turn
// CHECK-COUNT-4: llvm.alloca
// CHECK:         return
tt.func @swapped_on_every_turn(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %u = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %v = tt.load %yp : tensor<64x!tt.ptr<f32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %u, %b = %v) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    scf.yield %b, %a : tensor<64xf32>, tensor<64xf32>
  }
  tt.store %xp, %r#0 : tensor<64x!tt.ptr<f32>>
  tt.store %yp, %r#1 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: func.func @block_chosen_by_a_branch
// CHECK:         %[[CHOSEN:.*]] = llvm.alloca
// CHECK:         scf.if
// CHECK:           llvm.store {{.*}}, %[[CHOSEN]]
// CHECK:         } else {
// CHECK:           llvm.store {{.*}}, %[[CHOSEN]]
// CHECK:         llvm.load %[[CHOSEN]]
tt.func @block_chosen_by_a_branch(%x: !tt.ptr<f32>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %u = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %p = arith.cmpi sgt, %n, %c0 : i32
  %v = scf.if %p -> (tensor<64xf32>) {
    %s = arith.addf %u, %one : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  } else {
    %s = arith.mulf %u, %two : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tt.store %xp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Only loops over blocks are marked: LLVM may rewrite scalar loops in closed form.
// CHECK-LABEL: func.func @scalars_alone
// CHECK:         scf.for
// CHECK-NOT:     blockdsl.source_loop
tt.func @scalars_alone(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  tt.store %x, %sum : !tt.ptr<i32>
  tt.return
}
