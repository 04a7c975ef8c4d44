// Matmuls of one iteration at a time; iterations.mlir has those of several.
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests | sed -E 's/, (iterations|kept) = [0-9]+|, try_in_place = true//g' | blockdsl-opt --blockdsl-to-loops | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests=alias=unknown | sed -E 's/, (iterations|kept) = [0-9]+|, try_in_place = true//g' | blockdsl-opt --blockdsl-to-loops=alias=unknown | FileCheck %s --check-prefix=UNKNOWN

// A loop that adds matmuls to zeros and whose sums are stored. The first iteration starts with zeros in registers, and
// nothing is written before the loop. The last iteration stores each tile, one row per step, as soon as it is complete.
// The distance to the bound, unlike `iteration + step`, does not wrap. For a trip count of zero, zeros are stored.
// CHECK-LABEL: func.func @sums_are_stored
// CHECK-SAME:    %[[TURNS:[^:]*]]: i32
// CHECK-NOT:     llvm.store
// CHECK:         scf.for %[[TURN:.*]] = %c0_i32 to %[[TURNS]] step %c1_i32
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[TURN]], %c0_i32
// CHECK:           %[[LEFT:.*]] = arith.subi %[[TURNS]], %[[TURN]]
// CHECK:           %[[LAST:.*]] = arith.cmpi ule, %[[LEFT]], %c1_i32
// CHECK:           scf.for %[[ROW:.*]] = %c0 to %c60 step %c6
// CHECK-COUNT-24:    arith.select %[[FIRST]], %cst{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:             math.fma
// CHECK:             scf.if %[[LAST]] {
// CHECK:               scf.for %{{.*}} = %[[ROW]] to %{{.*}} step %c1
// CHECK:                 llvm.load {{.*}} -> vector<64xf32>
// CHECK:                 llvm.store {{.*}}, %[[TO:.*]] {{{.*}}} : vector<64xf32>
// CHECK:             }
// CHECK:             math.fma
// CHECK:             scf.if %[[LAST]] {
// CHECK:         %[[NONE:.*]] = arith.cmpi sle, %[[TURNS]], %c0_i32
// CHECK:         scf.if %[[NONE]] {
// CHECK:           llvm.store %cst
// CHECK:           llvm.store
// CHECK:         return

// Where arguments may overlap, a store could change what the next tile reads: all stores come after the loop.
// UNKNOWN-LABEL: func.func @sums_are_stored
// UNKNOWN:         math.fma
// UNKNOWN-NOT:     scf.if
// UNKNOWN:         } {blockdsl.source_loop}
// UNKNOWN:         llvm.store
// UNKNOWN:         return
tt.func @sums_are_stored(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The stored values may be computed from the sums, and from memory, here the memory that they then overwrite.
// CHECK-LABEL: func.func @added_to_what_is_there
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.for
// CHECK:             %[[AT:.*]] = llvm.getelementptr %arg1
// CHECK:             %[[BEFORE:.*]] = llvm.load %[[AT]] {{{.*}}} : !llvm.ptr -> vector<64xf32>
// CHECK:             %[[SUM:.*]] = arith.addf %{{.*}}, %[[BEFORE]] : vector<64xf32>
// CHECK:             llvm.store %[[SUM]], %[[AT]]
tt.func @added_to_what_is_there(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %before = tt.load %cp : tensor<64x64x!tt.ptr<f32>>
  %after = arith.addf %sum, %before : tensor<64x64xf32>
  tt.store %cp, %after : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Transposed stores need more than the complete tile: they follow the loop, or the single matmul.
// CHECK-LABEL: func.func @stored_in_other_places
// CHECK-SAME:    %{{[^:]*}}: {{[^,]*}}, %[[C:[^:]*]]: !llvm.ptr
// CHECK-NOT:     getelementptr %[[C]]
// CHECK:         } {blockdsl.source_loop}
// CHECK:         llvm.getelementptr %[[C]]
tt.func @stored_in_other_places(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %turned = tt.trans %sum {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %turned : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: func.func @product_in_other_places
// CHECK-SAME:    %{{[^:]*}}: {{[^,]*}}, %[[C:[^:]*]]: !llvm.ptr
// CHECK-NOT:     getelementptr %[[C]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NOT:     getelementptr %[[C]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         llvm.getelementptr %[[C]]
// CHECK:         return
tt.func @product_in_other_places(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %sum = tt.dot %x, %x, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  %turned = tt.trans %sum {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %turned : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Under a mask, a tile stores the rows and columns that are inside, without a mask if the whole tile is inside.
// CHECK-LABEL: func.func @stored_under_a_mask
// CHECK-SAME:    %[[N:[^:]*]]: i32
// CHECK:         scf.if %{{.*}} {
// CHECK:           %[[INSIDE:.*]] = arith.cmpi eq
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             llvm.store {{.*}} : vector<64xf32>
// CHECK:           } else {
// CHECK:             llvm.intr.masked.store {{.*}} : vector<64xf32>
tt.func @stored_under_a_mask(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %in_columns = arith.cmpi slt, %c0, %ns : tensor<1x64xi32>
  %mask = tt.broadcast %in_columns : tensor<1x64xi1> -> tensor<64x64xi1>
  tt.store %cp, %sum, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A store without a mask is not fused into a matmul of which only a part is demanded.
// CHECK-LABEL: func.func @stored_beside
// CHECK-SAME:    %{{[^:]*}}: {{[^,]*}}, %{{[^:]*}}: {{[^,]*}}, %[[Y:[^:]*]]:
// CHECK-NOT:     getelementptr %[[Y]][
// CHECK:         } {blockdsl.source_loop}
// CHECK-NEXT:    scf.for %{{.*}} = %c0 to %c64 step
// CHECK:           llvm.getelementptr %[[Y]][
tt.func @stored_beside(%a: !tt.ptr<f32>, %in: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %turns = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %xs = tt.splat %in : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %yp = tt.addptr %ys, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %whole = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  tt.store %yp, %whole : tensor<64x64x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<64x1xi32>
  %in_rows = arith.cmpi slt, %r0, %ns : tensor<64x1xi32>
  %mask = tt.broadcast %in_rows : tensor<64x1xi1> -> tensor<64x64xi1>
  tt.store %cp, %sum, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A loop with at least one iteration needs no code for a trip count of zero.
// CHECK-LABEL: func.func @always_a_turn
// CHECK:         scf.for
// CHECK:         } {blockdsl.source_loop}
// CHECK-NEXT:    return
tt.func @always_a_turn(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %turns = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Sums with another initial value are copied before the loop; they are stored in the last iteration all the same.
// CHECK-LABEL: func.func @starts_with_ones
// CHECK:         llvm.store %cst
// CHECK:         scf.for %{{.*}} = %c0_i32
// CHECK-NOT:       arith.select
// CHECK:           scf.if
// CHECK:         } {blockdsl.source_loop}
tt.func @starts_with_ones(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %ones = arith.constant dense<1.0> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %ones) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Other effects of the loop must not follow the stores.
// CHECK-LABEL: func.func @prints_in_the_loop
// CHECK:         scf.for %{{.*}} = %c0_i32
// CHECK-NOT:       scf.if
// CHECK:         } {blockdsl.source_loop}
// CHECK:         scf.if
// CHECK:         llvm.store
tt.func @prints_in_the_loop(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    tt.print " turn: " {hex = false, isSigned = array<i32: 1>} : %turn : i32
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A store that needs another result of the loop waits for its end.
// CHECK-LABEL: func.func @stored_with_another_result
// CHECK:         scf.for %{{.*}} = %c0_i32
// CHECK-NOT:       scf.if
// CHECK:         } {blockdsl.source_loop}
tt.func @stored_with_another_result(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %factor = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum, %scale = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero, %f = %factor) -> (tensor<64x64xf32>, f32) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    %g = arith.addf %f, %f : f32
    scf.yield %z, %g : tensor<64x64xf32>, f32
  }
  %scales = tt.splat %scale : f32 -> tensor<64x64xf32>
  %scaled = arith.mulf %sum, %scales : tensor<64x64xf32>
  tt.store %cp, %scaled : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A block that is contiguous along the columns is stored in vectors of rows, after the loop.
// CHECK-LABEL: func.func @stored_along_columns
// CHECK:         scf.for %{{.*}} = %c0_i32
// CHECK-NOT:       scf.if
// CHECK:         } {blockdsl.source_loop}
// CHECK:         llvm.store {{.*}} : vector<{{.*}}xf32>
tt.func @stored_along_columns(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %row_pitch = arith.constant dense<64> : tensor<1x64xi32>
  %t0 = arith.muli %c0, %row_pitch : tensor<1x64xi32>
  %t1 = tt.broadcast %t0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %t2 = tt.broadcast %r0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %turned = arith.addi %t1, %t2 : tensor<64x64xi32>
  %tp = tt.addptr %cs, %turned : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %x, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %tp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A matmul without a loop stores its tiles too.
// CHECK-LABEL: func.func @one_product
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c60 step %c6
// CHECK:           math.fma
// CHECK:           scf.for %{{.*}} = %[[ROW]] to
// CHECK:             llvm.store {{.*}} : vector<64xf32>
tt.func @one_product(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %sum = tt.dot %x, %x, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A matmul before the loop has a separate buffer: each iteration copies it to the carried block.
// CHECK-LABEL: func.func @made_before
// CHECK-SAME:    %[[TURNS:[^:]*]]: i32
// CHECK-DAG:     %[[CARRIED:.*]] = llvm.alloca
// CHECK-DAG:     %[[MADE:.*]] = llvm.alloca
// CHECK:         math.fma
// CHECK:         llvm.store %{{.*}}, %[[MADE]] {{.*}} : vector<16xf32>
// CHECK:         scf.for %{{.*}} = %c0_i32 to %[[TURNS]]
// CHECK:           llvm.getelementptr %[[MADE]]
// CHECK:           %[[ROW:.*]] = llvm.load %{{.*}} -> vector<16xf32>
// CHECK:           %[[TO:.*]] = llvm.getelementptr %[[CARRIED]]
// CHECK:           llvm.store %[[ROW]], %[[TO]]
// CHECK:         return
tt.func @made_before(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant dense<16> : tensor<16x1xi32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %row = arith.muli %rows, %width : tensor<16x1xi32>
  %row2 = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
  %column2 = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %row2, %column2 : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %x = tt.load %ap : tensor<16x16x!tt.ptr<f32>>
  %product = tt.dot %x, %x, %zero, inputPrecision = ieee : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %last = scf.for %turn = %start to %turns step %one iter_args(%carried = %ones) -> (tensor<16x16xf32>) : i32 {
    scf.yield %product : tensor<16x16xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %cp, %last : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
