// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops | FileCheck %s

// The operands of an update are computed in vectors and stored; then each element is updated in an iteration. The loads
// precede the first update, and the store of the previous values follows the last.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[P:[a-z0-9]*]]: !llvm.ptr {llvm.noalias}, %[[X:[a-z0-9]*]]: !llvm.ptr {llvm.noalias}, %[[O:[a-z0-9]*]]: !llvm.ptr
// CHECK:       %[[LOADED:[a-z0-9]*]] = llvm.load %[[X]] {{.*}} -> vector<64xf32>
// CHECK:       llvm.store %[[LOADED]], %[[COPY:[a-z0-9]*]] {
// CHECK:       scf.for
// CHECK:         %[[VALUE:.*]] = llvm.load %{{.*}} -> f32
// CHECK:         %[[MASK:.*]] = arith.cmpi slt
// CHECK:         %[[OLD:.*]] = scf.if %[[MASK]] -> (f32) {
// CHECK:           %[[FIRST:[a-z0-9]*]] = llvm.load %[[AT:[a-z0-9]*]] atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:           scf.while (%[[EXPECTED:.*]] = %[[FIRST]]) : (i32) -> i32 {
// CHECK:             %[[SUM:.*]] = arith.addf %{{.*}}, %[[VALUE]] : f32
// CHECK:             %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK:             llvm.cmpxchg %[[AT]], %[[EXPECTED]], %[[BITS]] acq_rel acquire : !llvm.ptr, i32
// CHECK:           } attributes {blockdsl.retries}
// CHECK:         } else {
// CHECK:         llvm.store %[[OLD]], %[[FOUND:[a-z0-9]*]] {alignment = 4
// CHECK:       }
// CHECK:       llvm.load %{{.*}} -> vector<64xf32>
// CHECK:       llvm.store %{{.*}}, %[[O]]
tt.func public @sums(%p: !tt.ptr<f32>, %x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %pa, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oa = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oa, %old : tensor<64x!tt.ptr<f32>>
  tt.return
}

// An update without uses of its result is kept; an update of integers is one instruction.
// CHECK-LABEL: func.func @scalar_updates(
// CHECK:       llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
// CHECK:       %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK:       llvm.atomicrmw xchg %{{.*}}, %[[BITS]] release : !llvm.ptr, i16
// CHECK:       llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acquire acquire : !llvm.ptr, i64
// CHECK:       llvm.load %{{.*}} atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK:       llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 8 : i64} : i64, !llvm.ptr
tt.func public @scalar_updates(%p: !tt.ptr<i64>, %x: i64, %q: !tt.ptr<bf16>, %y: bf16) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i64>, i64) -> i64
  %1 = tt.atomic_rmw exch, release, gpu, %q, %y : (!tt.ptr<bf16>, bf16) -> bf16
  %2 = tt.atomic_cas acquire, gpu, %p, %x, %x : (!tt.ptr<i64>, i64, i64) -> i64
  %3 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i64>) -> i64
  tt.atomic_store release, gpu, %p, %3 : !tt.ptr<i64>
  tt.return
}

// Floats are compared as numbers; LLVM has instructions for inc and dec.
// CHECK-LABEL: func.func @numbers(
// CHECK:       scf.while
// CHECK:         arith.maxnumf
// CHECK:         llvm.cmpxchg
// CHECK:       llvm.atomicrmw uinc_wrap
// CHECK:       llvm.atomicrmw udec_wrap
tt.func public @numbers(%p: !tt.ptr<f16>, %x: f16, %q: !tt.ptr<i32>, %y: i32) {
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<f16>, f16) -> f16
  %1 = tt.atomic_rmw inc, relaxed, gpu, %q, %y : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw dec, relaxed, gpu, %q, %y : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// A poll waits for one element after the other, with a common start time.
// CHECK-LABEL: func.func @polls(
// CHECK:       %[[START:.*]] = call @blockdsl_nanoseconds() : () -> i64
// CHECK:       scf.for
// CHECK:         scf.while
// CHECK:           llvm.load %{{.*}} atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:           %[[NOW:.*]] = func.call @blockdsl_nanoseconds() : () -> i64
// CHECK:           arith.subi %[[NOW]], %[[START]] : i64
tt.func public @polls(%p: !tt.ptr<i32>, %x: i32, %t: i64) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %pa = tt.addptr %ps, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %xs = tt.splat %x : i32 -> tensor<16xi32>
  %0 = tt.atomic_poll relaxed, gpu, %pa, %xs timeout %t : tensor<16x!tt.ptr<i32>>, tensor<16xi32> -> tensor<16xi1>
  tt.return
}

// Elements with the same address are summed first if the previous values are not used.
// CHECK-LABEL: func.func @adds_up(
// CHECK:       %[[NOTHING:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK:       scf.for
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// CHECK:         scf.if %[[ALL]] {
// CHECK:           %[[ANY:.*]] = vector.reduction <or>, %[[MASK:.*]] : vector<16xi1> into i1
// CHECK:           scf.if %[[ANY]] {
// CHECK:             %[[KEPT:.*]] = arith.select %[[MASK]], %{{.*}}, %[[NOTHING]]
// CHECK:             vector.reduction <add>, %[[KEPT]], %{{.*}} fastmath<reassoc> : vector<16xf32> into f32
// CHECK:             llvm.cmpxchg
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             llvm.cmpxchg
// CHECK:       return
tt.func public @adds_up(%p: !tt.ptr<f32>, %at: !tt.ptr<i32>, %x: !tt.ptr<f32>, %n: i32) {
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

// A uniform address needs no comparison; neighbors have different addresses; f16 is rounded after each addition.
// CHECK-LABEL: func.func @adds_up_or_not(
// CHECK:       vector.reduction <add>, %{{.*}} : vector<16xi32> into i32
// CHECK-NEXT:  llvm.atomicrmw add
// CHECK-NOT:   vector.reduction
// CHECK:       return
tt.func public @adds_up_or_not(%p: !tt.ptr<i32>, %q: !tt.ptr<f16>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %0 = tt.atomic_rmw add, relaxed, gpu, %ps, %r : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %1 = tt.atomic_rmw add, relaxed, gpu, %pa, %r : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %h = arith.sitofp %r : tensor<64xi32> to tensor<64xf16>
  %2 = tt.atomic_rmw fadd, relaxed, gpu, %qs, %h : (tensor<64x!tt.ptr<f16>>, tensor<64xf16>) -> tensor<64xf16>
  tt.return
}
