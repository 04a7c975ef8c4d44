// RUN: blockdsl-opt %s -split-input-file -pass-pipeline="builtin.module(tt.func(test-access-bounds))" -verify-diagnostics

// A masked row of elements.
tt.func public @masked(%x: !tt.ptr<f32>, %n: i32) {
  %size = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<64xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %at = arith.addi %firsts, %range : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{argument0 at byte (((program_x * 64) + lane0) * 4), lane0 < 64, program_x < programs_x, if (((program_x * 64) + lane0) < argument1)}}
  %v = tt.load %p, %mask : tensor<64x!tt.ptr<f32>>
  // expected-remark @below {{argument0 at byte (((program_x * 64) + lane0) * 4), lane0 < 64, program_x < programs_x}}
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Scalars, elements of 8 and 64 bits, pointers that move twice, and a pointer whose type changes.
tt.func public @scalars(%x: !tt.ptr<i64>, %y: !tt.ptr<i8>, %i: i64) {
  %p = tt.addptr %x, %i : !tt.ptr<i64>, i64
  // expected-remark @below {{argument0 at byte (argument2 * 8)}}
  %v = tt.load %p : !tt.ptr<i64>
  %q = tt.bitcast %p : !tt.ptr<i64> -> !tt.ptr<i8>
  %r = tt.addptr %q, %i : !tt.ptr<i8>, i64
  // expected-remark @below {{argument0 at byte ((argument2 * 8) + argument2)}}
  %w = tt.load %r : !tt.ptr<i8>
  // expected-remark @below {{argument1 at byte 0}}
  tt.store %y, %w : !tt.ptr<i8>
  tt.return
}

// -----

// Two dimensions with a variable each. The mask is a conjunction of two conditions.
tt.func public @tile(%x: !tt.ptr<f16>, %stride: i32, %m: i32, %n: i32) {
  %rows = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = tt.make_range {end = 40 : i32, start = 8 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<16x1xi32>
  %below = arith.muli %row, %strides : tensor<16x1xi32>
  %belows = tt.broadcast %below : tensor<16x1xi32> -> tensor<16x32xi32>
  %besides = tt.broadcast %column : tensor<1x32xi32> -> tensor<16x32xi32>
  %at = arith.addi %belows, %besides : tensor<16x32xi32>
  %ms = tt.splat %m : i32 -> tensor<16x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %in_rows = arith.cmpi slt, %row, %ms : tensor<16x1xi32>
  %in_columns = arith.cmpi sge, %ns, %column : tensor<1x32xi32>
  %wide_rows = tt.broadcast %in_rows : tensor<16x1xi1> -> tensor<16x32xi1>
  %wide_columns = tt.broadcast %in_columns : tensor<1x32xi1> -> tensor<16x32xi1>
  %mask = arith.andi %wide_rows, %wide_columns : tensor<16x32xi1>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %p = tt.addptr %xs, %at : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  // expected-remark @below {{argument0 at byte (((lane0 * argument1) + (lane1 + 8)) * 2), lane0 < 16, lane1 < 32, if (lane0 < argument2), if ((lane1 + 8) <= argument3)}}
  %v = tt.load %p, %mask : tensor<16x32x!tt.ptr<f16>>
  // A transposed block.
  %turned = tt.trans %p {order = array<i32: 1, 0>} : tensor<16x32x!tt.ptr<f16>> -> tensor<32x16x!tt.ptr<f16>>
  // expected-remark @below {{argument0 at byte (((lane1 * argument1) + (lane0 + 8)) * 2), lane0 < 32, lane1 < 16}}
  %w = tt.load %turned : tensor<32x16x!tt.ptr<f16>>
  tt.return
}

// -----

// A pointer that a loop increments, also after the loop; the mask depends on the iteration.
tt.func public @loop(%x: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %end = scf.for %i = %zero to %n step %four iter_args(%p = %x) -> (!tt.ptr<f32>) : i32 {
    %inside = arith.cmpi ne, %i, %four : i32
    // expected-remark @below {{argument0 at byte (loop0 * (argument2 * 4)), loop0 < (((argument1 max 0) + 3) / 4), if (i32((loop0 * 4)) != 4)}}
    %v = tt.load %p, %inside : !tt.ptr<f32>
    %next = tt.addptr %p, %stride : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  }
  // expected-remark @below {{argument0 at byte ((((argument1 max 0) + 3) / 4) * (argument2 * 4))}}
  %w = tt.load %end : !tt.ptr<f32>
  tt.return
}

// -----

// Branches add conditions; their results are selects.
tt.func public @branches(%x: !tt.ptr<i32>, %n: i32) {
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %c = arith.cmpi ult, %n, %two : i32
  %i = scf.if %c -> (i32) {
    // expected-remark @below {{argument0 at byte 0, if (argument1 <u 2)}}
    tt.store %x, %zero : !tt.ptr<i32>
    scf.yield %zero : i32
  } else {
    // expected-remark @below {{argument0 at byte 0, if (2 <=u argument1)}}
    tt.store %x, %two : !tt.ptr<i32>
    %r = arith.remsi %n, %two : i32
    scf.yield %r : i32
  }
  %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
  // expected-remark @below {{argument0 at byte (((argument1 <u 2) ? 0 : (argument1 % 2)) * 4)}}
  tt.store %p, %two : !tt.ptr<i32>
  tt.return
}

// -----

// Atomics are accesses too. Zero extensions, truncations, and an i1 as a number.
tt.func public @atomics(%x: !tt.ptr<i32>, %n: i32, %c: i1) {
  %one = arith.constant 1 : i32
  %wide = arith.extui %n : i32 to i64
  %p = tt.addptr %x, %wide : !tt.ptr<i32>, i64
  // expected-remark @below {{argument0 at byte (unsigned(argument1) * 4), if argument2}}
  %old = tt.atomic_rmw add, relaxed, gpu, %p, %one, %c : (!tt.ptr<i32>, i32, i1) -> i32
  %bit = arith.extsi %c : i1 to i32
  %q = tt.addptr %x, %bit : !tt.ptr<i32>, i32
  // expected-remark @below {{argument0 at byte ((0 - argument2) * 4)}}
  %older = tt.atomic_cas relaxed, gpu, %q, %one, %one : (!tt.ptr<i32>, i32, i32) -> i32
  %short = arith.trunci %n : i32 to i16
  %r = tt.addptr %x, %short : !tt.ptr<i32>, i16
  // expected-remark @below {{argument0 at byte (i16(argument1) * 4)}}
  tt.store %r, %one : !tt.ptr<i32>
  tt.return
}

// -----

// Values that depend on data have no formula.
tt.func public @data(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pp: !tt.ptr<!tt.ptr<i32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{argument0 at byte 0}}
  %i = tt.load %x : !tt.ptr<i32>
  %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
  // expected-remark @below {{unknown: its offset follows from data, or is not of one argument}}
  tt.store %p, %one : !tt.ptr<i32>
  %c = arith.cmpi eq, %i, %n : i32
  // expected-remark @below {{unknown: its mask follows from data}}
  tt.store %x, %one, %c : !tt.ptr<i32>
  scf.if %c {
    // expected-remark @below {{unknown: it is in a branch whose condition follows from data}}
    tt.store %x, %one : !tt.ptr<i32>
  }
  scf.for %k = %zero to %i step %one : i32 {
    // expected-remark @below {{unknown: it is in a loop whose bounds follow from data}}
    tt.store %x, %one : !tt.ptr<i32>
  }
  // A pointer from memory, and one of two arguments.
  // expected-remark @below {{argument2 at byte 0}}
  %q = tt.load %pp : !tt.ptr<!tt.ptr<i32>>
  // expected-remark @below {{unknown: its offset follows from data, or is not of one argument}}
  tt.store %q, %one : !tt.ptr<i32>
  %positive = arith.cmpi sgt, %n, %zero : i32
  %either = arith.select %positive, %x, %y : !tt.ptr<i32>
  // expected-remark @below {{unknown: its offset follows from data, or is not of one argument}}
  tt.store %either, %one : !tt.ptr<i32>
  tt.return
}

// -----

// Loops whose steps differ, and while loops.
tt.func public @loops(%x: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one iter_args(%p = %x) -> (!tt.ptr<i32>) : i32 {
    // expected-remark @below {{unknown: its offset follows from data, or is not of one argument}}
    tt.store %p, %one : !tt.ptr<i32>
    %next = tt.addptr %p, %i : !tt.ptr<i32>, i32
    scf.yield %next : !tt.ptr<i32>
  }
  scf.for unsigned %i = %zero to %n step %one : i32 {
    // expected-remark @below {{unknown: it is in a loop whose bounds follow from data}}
    tt.store %x, %one : !tt.ptr<i32>
  }
  scf.while (%i = %n) : (i32) -> () {
    %c = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%c)
  } do {
    // expected-remark @below {{unknown: it is in 'scf.while'}}
    tt.store %x, %one : !tt.ptr<i32>
    scf.yield %zero : i32
  }
  tt.return
}

// -----

// Accesses after an assertion have no formula, also if it is in an earlier iteration of the loop.
tt.func public @assertions(%x: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{argument0 at byte 0}}
  tt.store %x, %one : !tt.ptr<i32>
  scf.for %i = %zero to %n step %one : i32 {
    // expected-remark @below {{unknown: an assertion comes before it}}
    tt.store %x, %one : !tt.ptr<i32>
    %c = arith.cmpi slt, %i, %one : i32
    tt.assert %c, "small" : i1
  }
  // expected-remark @below {{unknown: an assertion comes before it}}
  tt.store %x, %one : !tt.ptr<i32>
  tt.return
}

// -----

// A carried value that is computed from itself, and from sums of itself.
tt.func public @circles(%x: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one iter_args(%a = %one, %b = %n) -> (i32, i32) : i32 {
    %p = tt.addptr %x, %a : !tt.ptr<i32>, i32
    // expected-remark @below {{unknown: its offset follows from data, or is not of one argument}}
    tt.store %p, %one : !tt.ptr<i32>
    %q = tt.addptr %x, %b : !tt.ptr<i32>, i32
    // expected-remark @below {{argument0 at byte (i32((argument1 + (loop0 * -2))) * 4), loop0 < (argument1 max 0)}}
    tt.store %q, %one : !tt.ptr<i32>
    %twice = arith.addi %a, %a : i32
    %less = arith.subi %b, %one : i32
    %lesser = arith.subi %less, %one : i32
    scf.yield %twice, %lesser : i32, i32
  }
  tt.return
}
