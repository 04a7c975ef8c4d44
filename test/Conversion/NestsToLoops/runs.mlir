// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// A block that is read through a reshape is contiguous in runs: the lanes are those of one run, without a gather.
// CHECK-LABEL: func.func @runs_of_eight
// CHECK-NOT:     gather
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c8
// CHECK-NOT:     gather
// CHECK:           llvm.load %{{.*}} -> vector<8xf32>
// CHECK:           math.exp
// CHECK:           llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT:     gather
// CHECK:         return
tt.func @runs_of_eight(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %r = tt.reshape %v : tensor<1024xf32> -> tensor<64x2x8xf32>
  %t = tt.trans %r {order = array<i32: 1, 0, 2>} : tensor<64x2x8xf32> -> tensor<2x64x8xf32>
  %line = tt.reshape %t : tensor<2x64x8xf32> -> tensor<1024xf32>
  %e = math.exp %line : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %e : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: func.func @runs_of_two
// CHECK-NOT:     gather
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c2
// CHECK-NOT:     gather
// CHECK:           llvm.store %{{.*}} : vector<2xf32>
// CHECK-NOT:     gather
// CHECK:         return
tt.func @runs_of_two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %r = tt.reshape %v : tensor<1024xf32> -> tensor<256x2x2xf32>
  %t = tt.trans %r {order = array<i32: 1, 0, 2>} : tensor<256x2x2xf32> -> tensor<2x256x2xf32>
  %line = tt.reshape %t : tensor<2x256x2xf32> -> tensor<1024xf32>
  %e = arith.addf %line, %line : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %e : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A polynomial of two lanes would take longer than the gathers.
// CHECK-LABEL: func.func @polynomials
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c32
// CHECK:           gather {{.*}} -> vector<32xf32>
// CHECK:           math.exp
// CHECK:           llvm.store %{{.*}} : vector<32xf32>
// CHECK:         return
tt.func @polynomials(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %r = tt.reshape %v : tensor<1024xf32> -> tensor<256x2x2xf32>
  %t = tt.trans %r {order = array<i32: 1, 0, 2>} : tensor<256x2x2xf32> -> tensor<2x256x2xf32>
  %line = tt.reshape %t : tensor<2x256x2xf32> -> tensor<1024xf32>
  %e = math.exp %line : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %e : tensor<1024x!tt.ptr<f32>>
  tt.return
}
