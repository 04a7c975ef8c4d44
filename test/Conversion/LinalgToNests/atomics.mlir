// RUN: blockdsl-opt %s --blockdsl-to-linalg --convert-linalg-to-nests | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-linalg --convert-linalg-to-nests=alias=unknown | FileCheck %s --check-prefix=UNKNOWN

// Loads that an atomic access uses: in its nest, or in a buffer before it.

// A contiguous load of other memory is part of the nest of a relaxed update.
// CHECK-LABEL: tt.func public @relaxed(
// CHECK:       cpu.nest {
// CHECK:         %[[X:.*]] = linalg.map { tt.load
// CHECK:         tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %[[X]] :
// UNKNOWN-LABEL: tt.func public @relaxed(
// UNKNOWN:       %[[X:.*]] = cpu.nest
// UNKNOWN:         cpu.yield %{{.*}} : tensor<64xf32> in buffer
// UNKNOWN:       tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %[[X]] :
tt.func public @relaxed(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pa, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// Loads precede an update that releases.
// CHECK-LABEL: tt.func public @ordered(
// CHECK:       %[[X:.*]] = cpu.nest
// CHECK:         cpu.yield %{{.*}} : tensor<64xf32> in buffer
// CHECK:       tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %[[X]] :
tt.func public @ordered(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %pa, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// The update changes the memory that is loaded.
// CHECK-LABEL: tt.func public @same_memory(
// CHECK:       %[[X:.*]] = cpu.nest
// CHECK:         cpu.yield %{{.*}} : tensor<64xf32> in buffer
// CHECK:       tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %[[X]] :
tt.func public @same_memory(%p: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %next = arith.addi %r, %one : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %pa : tensor<64x!tt.ptr<f32>>
  %pb = tt.addptr %ps, %next : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pb, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// Lanes that are not contiguous are gathered in vectors first.
// CHECK-LABEL: tt.func public @strided(
// CHECK:       %[[X:.*]] = cpu.nest
// CHECK:         cpu.yield %{{.*}} : tensor<64xf32> in buffer
// CHECK:       tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %[[X]] :
tt.func public @strided(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %at = arith.muli %r, %three : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pa, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
