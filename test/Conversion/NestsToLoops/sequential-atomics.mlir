// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops=sequential=true | FileCheck %s

// Atomic accesses of kernels whose launches run on one thread: no atomic instructions; contiguous lanes are vectors.

// CHECK-LABEL: func.func @neighbours(
// CHECK-NOT:   cmpxchg
// CHECK:       scf.for
// CHECK:         %[[VALUES:.*]] = llvm.load %{{.*}} -> vector<16xf32>
// CHECK:         %[[HERE:.*]] = llvm.load %[[AT:[a-z0-9_]*]] {{.*}} -> vector<16xf32>
// CHECK:         %[[SUM:.*]] = arith.addf %[[HERE]], %[[VALUES]] : vector<16xf32>
// CHECK:         llvm.store %[[SUM]], %[[AT]]
// CHECK:       return
tt.func public @neighbours(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pa, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// Lanes at arbitrary addresses are updated one by one: several may have the same address.
// CHECK-LABEL: func.func @anywhere(
// CHECK-NOT:   cmpxchg
// CHECK:       scf.for
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %[[MASK:.*]] : vector<16xi1> into i1
// CHECK:         scf.if %[[ALL]] {
// CHECK:           %[[ONE:.*]] = llvm.load %[[P:[a-z0-9_]*]] {{.*}} -> f32
// CHECK:           %[[NEXT:.*]] = arith.addf %[[ONE]], %{{.*}} : f32
// CHECK:           llvm.store %[[NEXT]], %[[P]]
// CHECK:         } else {
// CHECK:           %[[LANE:.*]] = vector.extract %[[MASK]][0] : i1
// CHECK:           scf.if %[[LANE]] {
// CHECK:             llvm.load
// CHECK:       return
tt.func public @anywhere(%p: !tt.ptr<f32>, %at: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %ats = tt.splat %at : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ata = tt.addptr %ats, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a = tt.load %ata, %m : tensor<64x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa, %m : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %a : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pa, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  tt.return
}

// One element is loaded, combined and stored.
// CHECK-LABEL: func.func @scalars(
// CHECK:       arith.maxnumf
// CHECK:       arith.minsi
// CHECK:       %[[IS_EQUAL:.*]] = arith.cmpi eq
// CHECK:       arith.select %[[IS_EQUAL]]
// CHECK:       %[[AT_END:.*]] = arith.cmpi uge
// CHECK:       arith.select %[[AT_END]]
// CHECK:       %[[RESTARTS:.*]] = arith.ori
// CHECK:       arith.select %[[RESTARTS]]
// CHECK-NOT:   cmpxchg
// CHECK-NOT:   atomicrmw
// CHECK:       return
tt.func public @scalars(%p: !tt.ptr<f32>, %x: f32, %q: !tt.ptr<i32>, %y: i32) {
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  %1 = tt.atomic_rmw min, relaxed, gpu, %q, %y : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_cas acquire, gpu, %q, %y, %1 : (!tt.ptr<i32>, i32, i32) -> i32
  %3 = tt.atomic_rmw inc, relaxed, gpu, %q, %2 : (!tt.ptr<i32>, i32) -> i32
  %4 = tt.atomic_rmw dec, relaxed, gpu, %q, %3 : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// A mask that is the same for all lanes of a row is a branch around a whole vector, not a masked store.
// CHECK-LABEL: func.func @masked_rows(
// CHECK-NOT:   masked.store
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}} : vector<16xf32>
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:      llvm.store %[[SUM]]
// CHECK-NOT:   masked.store
// CHECK:       return
tt.func public @masked_rows(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ns = tt.splat %n : i32 -> tensor<64x1xi32>
  %isIn = arith.cmpi slt, %row, %ns : tensor<64x1xi32>
  %m = tt.broadcast %isIn : tensor<64x1xi1> -> tensor<64x16xi1>
  %pitch = arith.constant dense<16> : tensor<64x1xi32>
  %first = arith.muli %row, %pitch : tensor<64x1xi32>
  %firsts = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = tt.broadcast %column : tensor<1x16xi32> -> tensor<64x16xi32>
  %at = arith.addi %firsts, %columns : tensor<64x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %at : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %v = tt.load %xa, %m : tensor<64x16x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %at : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %pa, %v, %m : (tensor<64x16x!tt.ptr<f32>>, tensor<64x16xf32>, tensor<64x16xi1>) -> tensor<64x16xf32>
  tt.return
}
