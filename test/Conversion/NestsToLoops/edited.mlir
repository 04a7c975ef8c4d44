// The loops only depend on the plan in the IR, so that an edited plan takes effect.
//
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-to-nests -o %t.nests
// RUN: blockdsl-opt %t.nests --blockdsl-to-loops -o %t.from-text
// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops -o %t.direct
// RUN: diff %t.from-text %t.direct
// RUN: FileCheck %s --input-file %t.from-text
// RUN: sed 's/lanes = 16, interleave = 4/lanes = 8, interleave = 2/' %t.nests | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/vector = 0, lanes = 16, interleave = 4//; s/order = .0., >/order = [0]>/; s/stores <[^>]*> //' %t.nests | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=SCALAR
// RUN: sed 's/bounds <below = .0.> //; s/stores <[^>]*> //' %t.nests | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=UNBOUNDED
// RUN: sed 's/versions <[^>]*> //' %t.nests | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=SINGLE
// RUN: sed 's/integers_wrap = true, //' %t.nests | blockdsl-opt --blockdsl-to-loops | FileCheck %s --check-prefix=TWO

// CHECK-LABEL: @scale
// CHECK: arith.mulf {{.*}} : vector<64xf32>
//
// NARROW-LABEL: @scale
// NARROW: arith.mulf {{.*}} : vector<16xf32>
//
// SCALAR-LABEL: @scale
// SCALAR-NOT: vector<
// SCALAR: arith.mulf {{.*}} : f32
tt.func public @scale(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %s = arith.mulf %v, %v : tensor<256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %s : tensor<256x!tt.ptr<f32>>
  tt.return
}

// The mask ends the loop at %n; without bounds it is a condition of each element.
//
// CHECK-LABEL: @masked
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: arith.remui
// CHECK: scf.for
// CHECK-NOT: masked
// CHECK: llvm.load {{.*}} -> vector<64xf32>
//
// UNBOUNDED-LABEL: @masked
// UNBOUNDED-NOT: arith.minsi
// UNBOUNDED: scf.for %{{.*}} = %c0 to %c256 step %c64
// UNBOUNDED: llvm.intr.masked.load
// UNBOUNDED: llvm.intr.masked.store
// UNBOUNDED: return
tt.func public @masked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp, %m : tensor<256x!tt.ptr<f32>>
  %s = arith.mulf %v, %v : tensor<256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %s, %m : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Rows from %start on that wrap at %n are contiguous in the first of three versions. Without the last one, integers that
// wrap are tested together with the remainder, in the first version. Without any, each vector is tested.
//
// CHECK-LABEL: @wrapping
// CHECK: scf.if
// CHECK: llvm.load {{.*}} -> vector<64xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: llvm.intr.masked.gather
// CHECK: } else {
// CHECK: llvm.load {{.*}} -> f32
//
// TWO-LABEL: @wrapping
// TWO: scf.if
// TWO: llvm.load {{.*}} -> vector<64xf32>
// TWO: } else {
// TWO: vector.reduction <and>
// TWO: scf.if
// TWO: } else {
// TWO: llvm.intr.masked.gather
// TWO-NOT: -> f32
// TWO: return
//
// SINGLE-LABEL: @wrapping
// SINGLE-NOT: scf.if
// SINGLE: vector.reduction <and>
// SINGLE: scf.if
// SINGLE: llvm.load {{.*}} -> vector<64xf32>
// SINGLE: } else {
// SINGLE: llvm.intr.masked.gather
// SINGLE-NOT: } else {
// SINGLE: return
tt.func public @wrapping(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %start: i32, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %at = arith.addi %starts, %i : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %r = arith.remsi %i, %ns : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
