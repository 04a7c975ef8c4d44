// Matmuls of one iteration at a time; iterations.mlir has those of several.
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests | sed -E 's/, (iterations|kept) = [0-9]+//g; s/layout = packed, ([^>]*), try_in_place = true/layout = packed_rows, \1/; s/ prefetch <[^>]*>//' > %t.single
// RUN: blockdsl-opt %t.single --cpu-select-prefetches --blockdsl-to-loops | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: blockdsl-opt %t.single --blockdsl-to-loops | FileCheck %s --check-prefix=UNFETCHED --implicit-check-not=prefetch
// RUN: blockdsl-opt %t.single --cpu-select-prefetches | sed 's/lhs = next_tile, rhs/rhs/; s/lines = 4/lines = 1/' | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=FEWER
// RUN: sed 's/ bounds <below = .2.>//' %t.single | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=UNBOUNDED
// RUN: blockdsl-opt %s --blockdsl-to-linalg "--blockdsl-linalg-to-loops=vector-bits=256" | FileCheck %s --check-prefixes=CHECK,HALF

// LLVM counts an op on several registers as one instruction, and would unroll long loops further.
// CHECK-DAG: #[[NOT:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[ROLLED:.*]] = #llvm.loop_annotation<unroll = #[[NOT]]>

// Rows times vectors of columns stay in registers during the loop over the common dimension, four steps per iteration:
// 6 x 64 with 512 bits, 6 x 16 with the fewer registers of 256. The right side is packed before, in a contiguous panel
// for each tile of columns; the left side is packed before each tile of rows. The last four rows are a separate tile.
// CHECK-LABEL: func.func @tile_in_registers
// CHECK:         %[[LAST:.*]] = llvm.alloca %c256_i64 x i32
// CHECK:         %[[LEFT:.*]] = llvm.alloca %c384_i64 x i32
// CHECK:         %[[RESULT:.*]] = llvm.alloca %c4096_i64 x f32
// CHECK:         %[[RIGHT:.*]] = llvm.alloca %c4096_i64 x i32
// CHECK-NOT:     llvm.alloca
// CHECK:         scf.for %[[K:.*]] = %c0 to %c64 step %c1
// HALF:            scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c8
// HALF:              %[[PANEL:.*]] = arith.divui %[[COLUMN]], %c16
// HALF:              %[[WITHIN:.*]] = arith.remui %[[COLUMN]], %c16
// HALF:              %[[ROW:.*]] = arith.muli %[[K]], %c16
// HALF:              %[[IN_PANEL:.*]] = arith.addi %[[ROW]], %[[WITHIN]]
// HALF:              %[[BEFORE:.*]] = arith.muli %[[PANEL]], %c1024
// HALF:              arith.addi %[[BEFORE]], %[[IN_PANEL]]
// CHECK:         llvm.getelementptr %[[RIGHT]]
// WIDE:          scf.for %[[FIRST:.*]] = %c0 to %c60 step %c6
// WIDE:            scf.for %[[DOWN:.*]] = %c0 to %c6 step %c1
// WIDE:              arith.addi %[[DOWN]], %[[FIRST]] : index
// WIDE:              llvm.getelementptr %[[LEFT]]
// WIDE:            scf.for %{{.*}} = %c0 to %c64 step %c4 {{.*}} -> (vector<16xf32>, 
// WIDE-COUNT-96:     math.fma {{.*}} : vector<16xf32>
// WIDE-NOT:          math.fma
// WIDE:            } {llvm.loop_annotation = #[[ROLLED]]}
// WIDE:          } {llvm.loop_annotation = #[[ROLLED]]}
// WIDE:          scf.for %[[DOWN:.*]] = %c0 to %c4 step %c1
// WIDE:            arith.addi %[[DOWN]], %c60 : index
// WIDE:            llvm.getelementptr %[[LAST]]
// WIDE-COUNT-64:   math.fma {{.*}} : vector<16xf32>
// HALF:          scf.for %{{.*}} = %c0 to %c60 step %c6
// HALF:            scf.for %{{.*}} = %c0 to %c64 step %c4 {{.*}} -> (vector<8xf32>, 
// HALF-COUNT-48:     math.fma {{.*}} : vector<8xf32>
tt.func @tile_in_registers(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
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
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %cp, %z : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Operands narrower than the accumulator are widened once, while they are packed.
// CHECK-LABEL: func.func @half_operands_are_packed
// CHECK:         arith.extf %{{.*}} : vector<{{.*}}xf16> to vector<{{.*}}xf32>
// CHECK:         math.fma
// CHECK-NOT:     arith.extf
// CHECK:         return
tt.func @half_operands_are_packed(%a: !tt.ptr<f16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<16x1xi32>
  %r2 = tt.broadcast %r1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c1 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %r2, %c1 : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %cp = tt.addptr %cs, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %x = tt.load %ap : tensor<16x16x!tt.ptr<f16>>
  %z = tt.dot %x, %x, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.store %cp, %z : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// A right side that is contiguous along the common dimension is transposed in registers during packing: 16 vectors with
// four shuffles each. The depth, bounded by both masks, is rounded up, since buffers hold zeros beyond the bounds.
// CHECK-LABEL: func.func @transposed_right_side
// WIDE:          %[[BOUND:.*]] = arith.minsi %{{.*}}, %c32 : index
// WIDE-NOT:      scatter
// WIDE-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// WIDE-NOT:      vector.shuffle
// WIDE:          %[[LEAST:.*]] = arith.minsi %[[BOUND]]
// WIDE:          %[[MORE:.*]] = arith.addi %[[LEAST]], %c3 : index
// WIDE:          %[[TURNS:.*]] = arith.andi %[[MORE]], %c-4 : index
// WIDE:          scf.for %{{.*}} = %c0 to %[[TURNS]] step %c4 {{.*}} -> (vector<16xf32>
tt.func @transposed_right_side(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %depth: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ks = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k0 = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k1 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<64x32xi32>
  %at = arith.addi %r2, %k1 : tensor<64x32xi32>
  %limit = tt.splat %depth : i32 -> tensor<1x32xi32>
  %inside = arith.cmpi slt, %k0, %limit : tensor<1x32xi32>
  %mask = tt.broadcast %inside : tensor<1x32xi1> -> tensor<64x32xi1>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.addptr %bs, %at : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %x = tt.load %ap, %mask, %zeros : tensor<64x32x!tt.ptr<f32>>
  %y = tt.load %bp, %mask, %zeros : tensor<64x32x!tt.ptr<f32>>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
  %z = tt.dot %x, %t, %zero : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %c0 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %r3 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %to = arith.addi %r3, %c1 : tensor<64x64xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %to : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %z : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A tile prefetches a share of the left side's rows that are packed next, and, in a loop, a share of the right side
// that the next iteration packs: one line of several rows, at the loop's next offset. The inner loop only computes the
// addresses of its next iteration. The tile prefetches into the L1 cache the initial sums of the tile to the right, and
// each line of the packed right side some steps before it is multiplied.
// CHECK-LABEL: func.func @fetched_ahead
// WIDE:          scf.for %{{.*}} iter_args(%[[OFFSET:.*]] = %c0_i32)
// WIDE:            %[[NEXT:.*]] = arith.addi %[[OFFSET]], %c64_i32 : i32
// WIDE:            scf.for %[[ROW:.*]] = %c0 to %c60 step %c6
// WIDE:              scf.for {{.*}} step %c64
// WIDE-COUNT-24:         "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// WIDE-NOT:              hint = 3
// WIDE:                %[[AFTER:.*]] = arith.addi %[[ROW]], %c6 : index
// WIDE:                arith.addi {{.*}}%[[AFTER]]
// WIDE:                arith.addi {{.*}}%[[NEXT]]
// WIDE:                %[[PITCHES:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// WIDE:                scf.for %[[K:.*]] = %c0 to %c64 step %c4
// WIDE-COUNT-2:          "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// WIDE:                  "llvm.intr.prefetch"(%[[LINE:.*]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// WIDE-NEXT:             llvm.getelementptr %[[LINE]][%[[PITCHES]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// WIDE:                  "llvm.intr.prefetch"(%[[OTHER:.*]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// WIDE-NEXT:             llvm.getelementptr %[[OTHER]][%[[PITCHES]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// WIDE:                  arith.addi %[[K]], %c16
// WIDE-COUNT-4:          "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// WIDE-NOT:              hint = 3
// WIDE-COUNT-24:         math.fma
//
// Without the attribute nothing is prefetched. An edited one prefetches a single line of the right side in a step.
// UNFETCHED-LABEL: func.func @fetched_ahead
// FEWER-LABEL:   func.func @fetched_ahead
// FEWER:           scf.for %{{.*}} = %c0 to %c64 step %c4
// FEWER-COUNT-1:     hint = 2
// FEWER-NOT:         hint = 2
// FEWER:             arith.addi %{{.*}}, %c16
tt.func @fetched_ahead(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %turns: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %by = arith.constant 64 : i32
  %a_pitch = arith.constant dense<1024> : tensor<64x1xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %r0 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %a_pitch : tensor<64x1xi32>
  %k0 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c0 = tt.expand_dims %columns {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %c1 = tt.broadcast %c0 : tensor<1x256xi32> -> tensor<64x256xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x256xi32>
  %to = arith.addi %r2, %c1 : tensor<64x256xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x256x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x256x!tt.ptr<f32>>
  %sum, %end = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero, %offset = %start) -> (tensor<64x256xf32>, i32) : i32 {
    %ks = tt.splat %offset : i32 -> tensor<1x64xi32>
    %k1 = arith.addi %k0, %ks : tensor<1x64xi32>
    %k2 = tt.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
    %r3 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %a_at = arith.addi %r3, %k2 : tensor<64x64xi32>
    %ap = tt.addptr %as, %a_at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %rs = tt.splat %offset : i32 -> tensor<64x1xi32>
    %r4 = arith.addi %r0, %rs : tensor<64x1xi32>
    %r5 = arith.muli %r4, %a_pitch : tensor<64x1xi32>
    %r6 = tt.broadcast %r5 : tensor<64x1xi32> -> tensor<64x256xi32>
    %b_at = arith.addi %r6, %c1 : tensor<64x256xi32>
    %bp = tt.addptr %bs, %b_at : tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>
    %y = tt.load %bp : tensor<64x256x!tt.ptr<f32>>
    %next = arith.addi %offset, %by : i32
    %z = tt.dot %x, %y, %acc : tensor<64x64xf32> * tensor<64x256xf32> -> tensor<64x256xf32>
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  %cp = tt.addptr %cs, %to : tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>
  tt.store %cp, %sum : tensor<64x256x!tt.ptr<f32>>
  tt.return
}

// Elements that are not stored are not computed: if a loop only accumulates a matmul that is stored under a mask, tiles
// beyond the mask's bounds are omitted, and so are the columns of the right side that they would read.
// CHECK-LABEL: func.func @stored_under_a_mask
// WIDE-SAME:     %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32
// WIDE:          scf.for %{{.*}} = %c0_i32 to
// WIDE-DAG:        %[[ROWS:.*]] = arith.minsi %{{.*}}, %c64 : index
// WIDE-DAG:        %[[TILES:.*]] = arith.divui %{{.*}}, %c64 : index
// WIDE-DAG:        %[[COLUMNS:.*]] = arith.muli %[[TILES]], %c64 : index
// WIDE:            scf.for %{{.*}} = %c0 to %c64 step %c1
// WIDE:              scf.for %{{.*}} = %c0 to %[[COLUMNS]] step %c16
// WIDE:            %[[WHOLE:.*]] = arith.minsi %[[ROWS]], %c60 : index
// WIDE:            scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c6
// WIDE:              math.fma
// WIDE:            scf.for %{{.*}} = %c60 to %[[ROWS]] step %c4
// WIDE:              math.fma
tt.func @stored_under_a_mask(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %m: i32, %n: i32, %turns: i32) {
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
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %turn = %start to %turns step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %z = tt.dot %x, %y, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %in_rows = arith.cmpi slt, %r0, %ms : tensor<64x1xi32>
  %in_columns = arith.cmpi slt, %c0, %ns : tensor<1x64xi32>
  %rows = tt.broadcast %in_rows : tensor<64x1xi1> -> tensor<64x64xi1>
  %columns = tt.broadcast %in_columns : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %rows, %columns : tensor<64x64xi1>
  tt.store %cp, %sum, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// If the loop itself uses the block, all elements are demanded.
// CHECK-LABEL: func.func @looked_at_in_the_loop
// WIDE:          scf.for %{{.*}} = %c0_i32 to
// WIDE:            scf.for %{{.*}} = %c0 to %c60 step %c6
// WIDE:              math.fma
tt.func @looked_at_in_the_loop(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>, %m: i32, %turns: i32) {
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
    %z = tt.dot %x, %acc, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %in_rows = arith.cmpi slt, %r0, %ms : tensor<64x1xi32>
  %mask = tt.broadcast %in_rows : tensor<64x1xi1> -> tensor<64x64xi1>
  tt.store %cp, %sum, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Few rows read the right side in place. Under masks with the same end the depth then ends there, in single steps
// without prefetches; the left side's rows are packed even so.
// CHECK-LABEL: func.func @few_rows
// WIDE:          llvm.alloca %c256_i64 x i32
// WIDE:          %[[END:.*]] = arith.minsi %{{.*}}, %c32 : index
// WIDE:          scf.for %{{.*}} = %c0 to %c16 step %c8
// WIDE:            scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
// WIDE-NOT:          prefetch
// WIDE-COUNT-16:     math.fma {{.*}} : vector<16xf32>
// WIDE-NOT:          math.fma
// CHECK:         return
// Without these bounds all steps are computed.
// UNBOUNDED-LABEL: func.func @few_rows
// UNBOUNDED:     scf.for %{{.*}} = %c0 to %c32 step %c4 iter_args
tt.func @few_rows(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %depth: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %few_pitch = arith.constant dense<32> : tensor<16x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %few = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %b_at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %f0 = tt.expand_dims %few {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %f1 = arith.muli %f0, %few_pitch : tensor<16x1xi32>
  %f2 = tt.broadcast %f1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %c2 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %a_at = arith.addi %f2, %c2 : tensor<16x32xi32>
  %limit = tt.splat %depth : i32 -> tensor<32x1xi32>
  %inside = arith.cmpi slt, %r0, %limit : tensor<32x1xi32>
  %mask = tt.broadcast %inside : tensor<32x1xi1> -> tensor<32x32xi1>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %a_at : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %b_at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %a_at : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %few_limit = tt.splat %depth : i32 -> tensor<1x32xi32>
  %few_inside = arith.cmpi slt, %c0, %few_limit : tensor<1x32xi32>
  %few_mask = tt.broadcast %few_inside : tensor<1x32xi1> -> tensor<16x32xi1>
  %few_zeros = arith.constant dense<0.0> : tensor<16x32xf32>
  %x = tt.load %ap, %few_mask, %few_zeros : tensor<16x32x!tt.ptr<f32>>
  %y = tt.load %bp, %mask, %zeros : tensor<32x32x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero : tensor<16x32xf32> * tensor<32x32xf32> -> tensor<16x32xf32>
  tt.store %cp, %z : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Row numbers that are loaded: a prefetch beyond the block would have to load them from memory that may not exist.
// CHECK-LABEL: func.func @rows_from_memory(
// CHECK-SAME:      %{{[^:]*}}: !llvm.ptr{{[^%]*}}, %[[ROWS:[^:]*]]: !llvm.ptr
// CHECK-NOT:     llvm.getelementptr %[[ROWS]][{{3[2-9]}}]
// WIDE-NOT:      hint = 2
// CHECK:         return
tt.func @rows_from_memory(%a: !tt.ptr<f32>, %rows: !tt.ptr<i32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rs = tt.splat %rows : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %rp = tt.addptr %rs, %range : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %named = tt.load %rp : tensor<32x!tt.ptr<i32>>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %n0 = tt.expand_dims %named {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %n1 = arith.muli %n0, %pitch : tensor<32x1xi32>
  %n2 = tt.broadcast %n1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %a_at = arith.addi %n2, %c1 : tensor<32x32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %b_at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %a_at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bp = tt.addptr %bs, %b_at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %b_at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<32x32x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %cp, %z : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A factor of zero on one side may be infinite on the other, which gives NaN: no step is omitted.
// CHECK-LABEL: func.func @zeros_on_one_side
// WIDE:          scf.for %{{.*}} = %c0 to %c16 step %c8
// WIDE:            scf.for %{{.*}} = %c0 to %c32 step %c4 iter_args
// CHECK:         return
tt.func @zeros_on_one_side(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %depth: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %few_pitch = arith.constant dense<32> : tensor<16x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %few = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c1 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %b_at = arith.addi %r2, %c1 : tensor<32x32xi32>
  %f0 = tt.expand_dims %few {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %f1 = arith.muli %f0, %few_pitch : tensor<16x1xi32>
  %f2 = tt.broadcast %f1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %c2 = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %a_at = arith.addi %f2, %c2 : tensor<16x32xi32>
  %limit = tt.splat %depth : i32 -> tensor<32x1xi32>
  %inside = arith.cmpi slt, %r0, %limit : tensor<32x1xi32>
  %mask = tt.broadcast %inside : tensor<32x1xi1> -> tensor<32x32xi1>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %a_at : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %b_at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %a_at : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %x = tt.load %ap : tensor<16x32x!tt.ptr<f32>>
  %y = tt.load %bp, %mask, %zeros : tensor<32x32x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero : tensor<16x32xf32> * tensor<32x32xf32> -> tensor<16x32xf32>
  tt.store %cp, %z : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
