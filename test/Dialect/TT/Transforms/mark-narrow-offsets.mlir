// RUN: blockdsl-opt %s -tt-mark-narrow-offsets | FileCheck %s

// A program id times a constant may be a large offset; of %y only the start is read.
// CHECK-LABEL: tt.func public @product
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32> {blockdsl.narrow = "{{.*}}mark-narrow-offsets.mlir:[[#@LINE+4]]"}, %{{.*}}: !tt.ptr<f32>)
tt.func public @product(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %size = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %at = arith.addi %firsts, %range : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %yp : tensor<1024x!tt.ptr<f32>>
  tt.store %xp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Extended before the multiplication, or only afterwards.
// CHECK-LABEL: tt.func public @widened
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32> {blockdsl.narrow
// CHECK-SAME:    %{{.*}}: i32)
tt.func public @widened(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32) {
  %pid = tt.get_program_id x : i32
  %wide = arith.extsi %pid : i32 to i64
  %step = arith.extsi %stride : i32 to i64
  %early = arith.muli %wide, %step : i64
  %xp = tt.addptr %x, %early : !tt.ptr<f32>, i64
  // The value added to a wide offset may be narrow.
  %more = arith.muli %stride, %stride : i32
  %xq = tt.addptr %xp, %more : !tt.ptr<f32>, i32
  %narrow = arith.muli %pid, %stride : i32
  %late = arith.extsi %narrow : i32 to i64
  %yp = tt.addptr %y, %late : !tt.ptr<f32>, i64
  %v = tt.load %yp : !tt.ptr<f32>
  tt.store %xq, %v : !tt.ptr<f32>
  tt.return
}

// Remainders, quotients and bit masks bound the offsets computed from them.
// CHECK-LABEL: tt.func public @bounded
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: i32)
tt.func public @bounded(%x: !tt.ptr<f32>, %n: i32) {
  %size = arith.constant 1024 : i32
  %mask = arith.constant 255 : i32
  %pid = tt.get_program_id x : i32
  %rest = arith.remsi %pid, %size : i32
  %first = arith.muli %rest, %size : i32
  %bits = arith.andi %n, %mask : i32
  %at = arith.addi %first, %bits : i32
  %p = tt.addptr %x, %at : !tt.ptr<f32>, i32
  %whole = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %v = tt.load %whole : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// A pointer that a loop increments has a 64-bit offset; a carried offset does not.
// CHECK-LABEL: tt.func public @loops
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32> {blockdsl.narrow
// CHECK-SAME:    %{{.*}}: i32)
tt.func public @loops(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %p, %o = scf.for %i = %zero to %n step %one iter_args(%xp = %x, %at = %zero) -> (!tt.ptr<f32>, i32) : i32 {
    %yp = tt.addptr %y, %at : !tt.ptr<f32>, i32
    %v = tt.load %yp : !tt.ptr<f32>
    tt.store %xp, %v : !tt.ptr<f32>
    %next = tt.addptr %xp, %size : !tt.ptr<f32>, i32
    %further = arith.addi %at, %size : i32
    scf.yield %next, %further : !tt.ptr<f32>, i32
  }
  tt.return
}
