// RUN: blockdsl-opt %s -mark-written-arguments | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-flatten | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func public @store_through_one
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32> {blockdsl.written}, %{{.*}}: i32)
tt.func public @store_through_one(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func public @read_only
// CHECK-SAME:    %{{.*}}: !tt.ptr<i32>)
tt.func public @read_only(%x: !tt.ptr<i32>) {
  %v = tt.load %x : !tt.ptr<i32>
  %c = arith.constant 0 : i32
  %b = arith.cmpi sgt, %v, %c : i32
  tt.assert %b, "positive" : i1
  tt.return
}

// A pointer that is incremented in a loop still derives from its argument.
// CHECK-LABEL: tt.func public @in_a_loop
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32> {blockdsl.written}, %{{.*}}: !tt.ptr<f32>, %{{.*}}: i32)
tt.func public @in_a_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p, %q = scf.for %i = %zero to %n step %one iter_args(%xi = %x, %yi = %y) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
    %v = tt.load %yi : !tt.ptr<f32>
    tt.store %xi, %v : !tt.ptr<f32>
    %xn = tt.addptr %xi, %one : !tt.ptr<f32>, i32
    %yn = tt.addptr %yi, %one : !tt.ptr<f32>, i32
    scf.yield %xn, %yn : !tt.ptr<f32>, !tt.ptr<f32>
  }
  tt.return
}

// An address of unknown origin may derive from any argument.
// CHECK-LABEL: tt.func public @one_of_two
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32> {blockdsl.written}, %{{.*}}: !tt.ptr<f32> {blockdsl.written}, %{{.*}}: i1)
tt.func public @one_of_two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: i1) {
  %p = arith.select %c, %x, %y : !tt.ptr<f32>
  %v = arith.constant 0.0 : f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}
