// Ops inside and outside of the region of a nest.
//
// RUN: blockdsl-opt %s -split-input-file --blockdsl-to-linalg --blockdsl-to-nests | FileCheck %s

// After a loop that swaps blocks, its result is the mask of a nest, and not the copy that held it in an iteration.
//
// CHECK-LABEL: @exchanged
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK:   %[[SPARE:.*]]:2 = cpu.nest
// CHECK:     cpu.yield %{{.*}} : tensor<32xi1> in spare, %{{.*}} : tensor<32xi1> in spare
// CHECK:   %[[COPY:.*]]:2 = cpu.nest
// CHECK:     cpu.yield %[[SPARE]]#1 : tensor<32xi1> in destination, %[[SPARE]]#0 : tensor<32xi1> in destination
// CHECK:   scf.yield %[[COPY]]#0, %[[COPY]]#1
// CHECK: cpu.nest {{.*}} mask(%[[LOOP]]#0 : tensor<32xi1>)
tt.func public @exchanged(%o: !tt.ptr<i32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ms = tt.splat %m : i32 -> tensor<32xi32>
  %below = arith.cmpi slt, %i, %ms : tensor<32xi32>
  %above = arith.cmpi sge, %i, %ms : tensor<32xi32>
  %masks:2 = scf.for %turn = %c0 to %n step %c1 iter_args(%a = %below, %b = %above) -> (tensor<32xi1>, tensor<32xi1>) : i32 {
    scf.yield %b, %a : tensor<32xi1>, tensor<32xi1>
  }
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %os, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %p, %i, %masks#0 : tensor<32x!tt.ptr<i32>>
  tt.return
}

// -----

// One result is kept, because a gather reads it at computed indices; the nest that uses the other recomputes the op.
//
// CHECK-LABEL: @one_of_two_results
// CHECK: cpu.nest
// CHECK:   %[[ONE:.*]]:2 = linalg.generic
// CHECK:   cpu.yield %[[ONE]]#1 : tensor<32xi32> in buffer
// CHECK: cpu.nest
// CHECK:   %[[OTHER:.*]]:2 = linalg.generic
// CHECK:   tensor.expand_shape %[[OTHER]]#0
tt.func public @one_of_two_results(%o: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %pair:2 = "tt.map_elementwise"(%i) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %c7 = arith.constant 7 : i32
    %y = arith.muli %x, %c7 : i32
    %z = arith.xori %x, %c7 : i32
    tt.map_elementwise.return %y, %z : i32, i32
  }) : (tensor<32xi32>) -> (tensor<32xi32>, tensor<32xi32>)
  %c31 = arith.constant dense<31> : tensor<32xi32>
  %turned = arith.subi %c31, %i : tensor<32xi32>
  %gathered = tt.gather %pair#1[%turned] {axis = 0 : i32} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %os, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %column = tt.expand_dims %pair#0 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %pointers = tt.expand_dims %p {axis = 1 : i32} : tensor<32x!tt.ptr<i32>> -> tensor<32x1x!tt.ptr<i32>>
  tt.store %pointers, %column : tensor<32x1x!tt.ptr<i32>>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %r = tt.addptr %qs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %r, %gathered : tensor<32x!tt.ptr<i32>>
  tt.return
}

// -----

// The load is kept, because the store changes the memory that it reads, and the carried sum in the same nest uses it.
//
// CHECK-LABEL: @sum_of_what_is_kept
// CHECK: scf.for
// CHECK:   %[[NEST:.*]]:2 = cpu.nest
// CHECK:     %[[LOADED:.*]] = linalg.map { tt.load
// CHECK:     %[[SUM:.*]] = linalg.map { arith.addi {{.*}} } ins(%{{.*}}, %[[LOADED]]
// CHECK:     cpu.yield %[[LOADED]] : tensor<8xi32> in buffer, %[[SUM]] : tensor<8xi32> in destination
// CHECK:   scf.yield %[[NEST]]#1
tt.func public @sum_of_what_is_kept(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %start = arith.constant dense<0> : tensor<8xi32>
  %sum = scf.for %turn = %c0 to %n step %c1 iter_args(%carried = %start) -> (tensor<8xi32>) : i32 {
    %t = tt.splat %turn : i32 -> tensor<8xi32>
    %at = arith.addi %t, %i : tensor<8xi32>
    %p = tt.addptr %xs, %at : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %v = tt.load %p : tensor<8x!tt.ptr<i32>>
    %next = arith.addi %carried, %v : tensor<8xi32>
    tt.store %p, %v : tensor<8x!tt.ptr<i32>>
    scf.yield %next : tensor<8xi32>
  }
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %os, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %q, %sum : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// The mask is computed from a block that the first nest keeps, so that nest has a copy of it. The kept integers are
// zero where the copy is false, and the mask outside of the nest bounds their sum.
//
// CHECK-LABEL: @cloned_mask
// CHECK: %[[KEPT:.*]]:3 = cpu.nest config
// CHECK:   arith.cmpf
// CHECK:   cpu.yield
// CHECK: %[[MASK:.*]] = linalg.{{.*}} ins(%[[KEPT]]#{{.*}}outs(%{{.*}} : tensor<64xi1>)
// CHECK: cpu.nest config {{.*}} mask(%[[MASK]] : tensor<64xi1> along 0)
// CHECK:   arith.andi
// CHECK:   "tt.reduce"
tt.func public @cloned_mask(%x: !tt.ptr<f32>, %o: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %k = math.exp %v : tensor<64xf32>
  %s = "tt.reduce"(%k) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<64xf32>) -> f32
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %m = arith.cmpf ogt, %k, %half : tensor<64xf32>
  %e = math.exp %k : tensor<64xf32>
  %chosen = arith.select %m, %e, %zero : tensor<64xi1>, tensor<64xf32>
  %d = arith.fptosi %chosen : tensor<64xf32> to tensor<64xi32>
  %bits = arith.fptosi %s : f32 to i32
  %bs = tt.splat %bits : i32 -> tensor<64xi32>
  %masked = arith.andi %d, %bs : tensor<64xi32>
  %sum = "tt.reduce"(%masked) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.addi %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<64xi32>) -> i32
  %sums = tt.splat %sum : i32 -> tensor<64xi32>
  %ki = arith.fptosi %k : tensor<64xf32> to tensor<64xi32>
  %dk = arith.addi %d, %ki : tensor<64xi32>
  %r = arith.addi %dk, %sums : tensor<64xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %q, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// The mask of a store in a branch is not visible at the matmul before the branch, whose nest has none.
// CHECK-LABEL: tt.func @mask_in_a_branch
// CHECK: cpu.nest matmul
// CHECK-NOT: mask(
// CHECK: linalg.matmul
// CHECK: scf.if
// CHECK: cpu.nest {{.*}} mask({{%[^ ,)]+}} : tensor<16x16xi1>)
tt.func @mask_in_a_branch(%p: !tt.ptr<f32>, %n: i32, %stored: i1) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %pitch : tensor<16x1xi32>
  %row_offsets = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %column_offsets = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %row_offsets, %column_offsets : tensor<16x16xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %x = tt.load %pointers : tensor<16x16x!tt.ptr<f32>>
  %product = tt.dot %x, %x, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  scf.if %stored {
    %limit = tt.splat %n : i32 -> tensor<16x16xi32>
    %below = arith.cmpi slt, %offsets, %limit : tensor<16x16xi32>
    tt.store %pointers, %product, %below : tensor<16x16x!tt.ptr<f32>>
  }
  tt.return
}
