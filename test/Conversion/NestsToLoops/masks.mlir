// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s
// Masks as loop bounds, and masks of nests without a loop.

// The mask is the same for the only element, which has no loop: the store itself is masked.
// CHECK-LABEL: func.func @mask_of_one_element
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt
// CHECK:         scf.if %[[INSIDE]]
// CHECK-NEXT:      llvm.store
tt.func @mask_of_one_element(%p: !tt.ptr<f32>, %x: f32) {
  %limit = arith.constant dense<10> : tensor<1x1xi32>
  %id = tt.get_program_id x : i32
  %place = tt.splat %id : i32 -> tensor<1x1xi32>
  %inside = arith.cmpi slt, %place, %limit : tensor<1x1xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
  %there = tt.addptr %ps, %place : tensor<1x1x!tt.ptr<f32>>, tensor<1x1xi32>
  %value = tt.splat %x : f32 -> tensor<1x1xf32>
  tt.store %there, %value, %inside : tensor<1x1x!tt.ptr<f32>>
  tt.return
}

// One value per row, loaded under the row's mask: the load must not be hoisted out of the loop that bounds the rows.
// CHECK-LABEL: func.func @load_behind_the_mask_of_a_row
// CHECK:         scf.for
// CHECK:           %[[SCALE:.*]] = llvm.load {{.*}} -> f32
// CHECK:           vector.broadcast %[[SCALE]]
tt.func @load_behind_the_mask_of_a_row(%p: !tt.ptr<f32>, %scales: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %limit = arith.constant dense<10> : tensor<1x1xi32>
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32>
  %id = tt.get_program_id x : i32
  %row = tt.splat %id : i32 -> tensor<1x1xi32>
  %inside = arith.cmpi slt, %row, %limit : tensor<1x1xi32>
  %scaleBase = tt.splat %scales : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
  %scalePlace = tt.addptr %scaleBase, %row : tensor<1x1x!tt.ptr<f32>>, tensor<1x1xi32>
  %scale = tt.load %scalePlace, %inside : tensor<1x1x!tt.ptr<f32>>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %all = tt.broadcast %inside : tensor<1x1xi1> -> tensor<1x1024xi1>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1x1024x!tt.ptr<f32>>
  %places = tt.addptr %base, %columns : tensor<1x1024x!tt.ptr<f32>>, tensor<1x1024xi32>
  %x = tt.load %places, %all, %zero : tensor<1x1024x!tt.ptr<f32>>
  %scaleRow = tt.broadcast %scale : tensor<1x1xf32> -> tensor<1x1024xf32>
  %y = arith.mulf %x, %scaleRow : tensor<1x1024xf32>
  %outBase = tt.splat %o : !tt.ptr<f32> -> tensor<1x1024x!tt.ptr<f32>>
  %outPlaces = tt.addptr %outBase, %columns : tensor<1x1024x!tt.ptr<f32>>, tensor<1x1024xi32>
  tt.store %outPlaces, %y, %all : tensor<1x1024x!tt.ptr<f32>>
  tt.return
}

// Both loops have unrolling disabled: the first has several vectors per iteration, the second has few iterations.
// CHECK-LABEL: func.func @not_unrolled_again
// CHECK:         scf.for %{{.*}} step %[[VECTORS:.*]] {
// CHECK:         } {llvm.loop_annotation = #[[ANNOTATION:.*]]}
// CHECK:         scf.for %{{.*}} step %[[VECTOR:.*]] {
// CHECK:         } {llvm.loop_annotation = #[[ANNOTATION]]}
tt.func @not_unrolled_again(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %from = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %from, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %places, %inside : tensor<1024x!tt.ptr<f32>>
  %to = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %outPlaces = tt.addptr %to, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %outPlaces, %x, %inside : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// An addition under a mask does not change the other elements of the sum: the nest ends where the mask does, and its
// whole steps need no mask.
// CHECK-LABEL: func.func @sum_under_a_mask
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[N:.*]] step
// CHECK:           %[[LEFT:.*]] = arith.subi
// CHECK:           %[[SOME:.*]] = arith.maxsi %[[LEFT]]
// CHECK:           %[[END:.*]] = arith.minsi %[[SOME]]
// CHECK:           scf.for
// CHECK-NOT:         arith.select
// CHECK-NOT:         masked.load
// CHECK:             llvm.load {{.*}} -> vector<64xf32>
// CHECK:             arith.addf
tt.func @sum_under_a_mask(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %sums = scf.for %i = %c0 to %n step %step iter_args(%sum = %zeros) -> (tensor<1024xf32>) : i32 {
    %start = tt.splat %i : i32 -> tensor<1024xi32>
    %at = arith.addi %start, %range : tensor<1024xi32>
    %inside = arith.cmpi slt, %at, %limit : tensor<1024xi32>
    %ps = tt.addptr %base, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %ps, %inside, %zeros : tensor<1024x!tt.ptr<f32>>
    %next = arith.addf %sum, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %outs = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %outs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %places, %sums : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Adding +0.0 changes -0.0, so the whole block is updated.
// CHECK-LABEL: func.func @sum_that_starts_with_anything
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK:           scf.for
// CHECK:             llvm.intr.masked.load
// CHECK:             arith.addf
tt.func @sum_that_starts_with_anything(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %outs = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %outs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %before = tt.load %places : tensor<1024x!tt.ptr<f32>>
  %sums = scf.for %i = %c0 to %n step %step iter_args(%sum = %before) -> (tensor<1024xf32>) : i32 {
    %start = tt.splat %i : i32 -> tensor<1024xi32>
    %at = arith.addi %start, %range : tensor<1024xi32>
    %inside = arith.cmpi slt, %at, %limit : tensor<1024xi32>
    %ps = tt.addptr %base, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %ps, %inside, %zeros : tensor<1024x!tt.ptr<f32>>
    %next = arith.addf %sum, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tt.store %places, %sums : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Vectors that start at the first row of the mask may extend beyond the block: loads and stores are masked there.
// CHECK-LABEL: func.func @from_the_middle
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK:         scf.if
// CHECK-NOT:       llvm.load
// CHECK:           llvm.intr.masked.load
// CHECK-NOT:       llvm.load
// CHECK:         return
tt.func @from_the_middle(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %low: i32) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %lows = tt.splat %low : i32 -> tensor<256xi32>
  %mask = arith.cmpi sge, %range, %lows : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  tt.store %yp, %v, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}

// The number that is subtracted from -inf is tested before the loop: the sum starts with +0.0, the masked-off value,
// with NaN if the number is not above -inf, and with -0.0 if no element is masked off.
// CHECK-LABEL: func.func @sum_with_what_is_outside
// CHECK:         %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK:         %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %c1024
// CHECK:         %[[ABOVE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK:         %[[OUTSIDE:.*]] = arith.select %[[ABOVE]], %{{.*}}, %[[NAN]] : f32
// CHECK:         %[[ALL:.*]] = vector.broadcast %[[OUTSIDE]]
// CHECK:         %[[START:.*]] = arith.select %[[ANY]], %[[ALL]], %{{.*}} : vector
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
tt.func @sum_with_what_is_outside(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32, %by: f32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %from = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %from, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %least = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %x = tt.load %places, %inside, %least : tensor<1024x!tt.ptr<f32>>
  %shift = tt.splat %by : f32 -> tensor<1024xf32>
  %shifted = arith.subf %x, %shift : tensor<1024xf32>
  %e = math.exp %shifted : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tt.reduce.return %add : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %o, %sum : !tt.ptr<f32>
  tt.return
}

// A subtrahend that differs per element may be NaN only where the mask is false: all elements are added.
// CHECK-LABEL: func.func @sum_of_the_whole_block
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step
// CHECK:           llvm.intr.masked.load
// CHECK-NOT:     scf.if
// CHECK:         return
tt.func @sum_of_the_whole_block(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %from = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %from, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %least = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %x = tt.load %places, %inside, %least : tensor<1024x!tt.ptr<f32>>
  %shifts = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %shiftPlaces = tt.addptr %shifts, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %shift = tt.load %shiftPlaces : tensor<1024x!tt.ptr<f32>>
  %shifted = arith.subf %x, %shift : tensor<1024xf32>
  %e = math.exp %shifted : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tt.reduce.return %add : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %o, %sum : !tt.ptr<f32>
  tt.return
}

// The sums over columns use the masked-off rows: the nest that writes the block to a buffer omits masked-off columns,
// but not rows.
// CHECK-LABEL: func.func @sum_of_rows_under_a_mask_of_both
// CHECK-SAME:    %[[N:[^:]*]]: i32, %{{[^:]*}}: !llvm.ptr {blockdsl.scratch
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 4 : index
// CHECK:         arith.index_cast %[[N]] : i32 to index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ROWS]] step
// CHECK:           %[[ELEMENTS:.*]] = llvm.intr.masked.load
// CHECK:           llvm.store
// CHECK:         llvm.store
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ROWS]] step
// CHECK:           llvm.load
tt.func @sum_of_rows_under_a_mask_of_both(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %m: i32, %n: i32) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.splat %m : i32 -> tensor<4x1xi32>
  %columns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inRows = arith.cmpi slt, %r2, %rows : tensor<4x1xi32>
  %inColumns = arith.cmpi slt, %c2, %columns : tensor<1x64xi32>
  %a = tt.broadcast %inRows : tensor<4x1xi1> -> tensor<4x64xi1>
  %b = tt.broadcast %inColumns : tensor<1x64xi1> -> tensor<4x64xi1>
  %mask = arith.andi %a, %b : tensor<4x64xi1>
  %length = arith.constant dense<64> : tensor<4x1xi32>
  %starts = arith.muli %r2, %length : tensor<4x1xi32>
  %s = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x64xi32>
  %t = tt.broadcast %c2 : tensor<1x64xi32> -> tensor<4x64xi32>
  %at = arith.addi %s, %t : tensor<4x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %there = tt.addptr %ps, %at : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %x = tt.load %there, %mask : tensor<4x64x!tt.ptr<f32>>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %first = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %after = tt.addptr %first, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %after, %one : tensor<64x!tt.ptr<f32>>
  %sums = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%left: f32, %right: f32):
    %sum = arith.addf %left, %right : f32
    tt.reduce.return %sum : f32
  }) : (tensor<4x64xf32>) -> tensor<4xf32>
  %ends = tt.splat %q : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %out = tt.addptr %ends, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %out, %sums : tensor<4x!tt.ptr<f32>>
  tt.return
}
