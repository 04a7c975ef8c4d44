// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @updates
tt.func @updates(%p: tensor<64x!tt.ptr<i32>>, %x: tensor<64xi32>, %m: tensor<64xi1>, %q: !tt.ptr<bf16>, %y: bf16) {
  // CHECK-NEXT: tt.atomic_rmw umax, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  %0 = tt.atomic_rmw umax, acq_rel, gpu, %p, %x, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  // CHECK-NEXT: tt.atomic_rmw exch, release, cta, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %1 = tt.atomic_rmw exch, release, cta, %p, %x : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  // CHECK-NEXT: tt.atomic_rmw fadd, relaxed, sys, %{{.*}}, %{{.*}} : (!tt.ptr<bf16>, bf16) -> bf16
  %2 = tt.atomic_rmw fadd, relaxed, sys, %q, %y : (!tt.ptr<bf16>, bf16) -> bf16
  // CHECK-NEXT: tt.atomic_cas acquire, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<bf16>, bf16, bf16) -> bf16
  %3 = tt.atomic_cas acquire, gpu, %q, %y, %y : (!tt.ptr<bf16>, bf16, bf16) -> bf16
  // The numbers in the generic form are Triton's.
  // CHECK-NEXT: tt.atomic_rmw min, acquire, cta, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %4 = "tt.atomic_rmw"(%p, %x) <{atomic_rmw_op = 7 : i32, scope = 2 : i32, sem = 2 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

// CHECK-LABEL: tt.func @reads_and_writes
tt.func @reads_and_writes(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>, %m: tensor<64xi1>, %q: !tt.ptr<i32>, %y: i32, %t: i64) {
  // CHECK-NEXT: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> tensor<64xf32>
  %0 = tt.atomic_load acquire, gpu, %p, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> tensor<64xf32>
  // CHECK-NEXT: tt.atomic_load relaxed, gpu, %{{.*}} : (!tt.ptr<i32>) -> i32
  %1 = tt.atomic_load relaxed, gpu, %q : (!tt.ptr<i32>) -> i32
  // CHECK-NEXT: tt.atomic_store release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  tt.atomic_store release, gpu, %p, %x, %m : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.atomic_store relaxed, sys, %{{.*}}, %{{.*}} : !tt.ptr<i32>
  tt.atomic_store relaxed, sys, %q, %y : !tt.ptr<i32>
  // CHECK-NEXT: tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} timeout %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %2 = tt.atomic_poll acquire, gpu, %q, %y timeout %t : !tt.ptr<i32>, i32 -> i1
  // CHECK-NEXT: tt.atomic_poll relaxed, gpu, %{{.*}}, %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %3 = tt.atomic_poll relaxed, gpu, %q, %y : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// Unused results and stores that are not read: no op is removed.
// RUN: blockdsl-opt %s --canonicalize --cse | FileCheck %s --check-prefix=EFFECTS
// EFFECTS-LABEL: tt.func @updates
// EFFECTS-COUNT-3: tt.atomic_rmw
// EFFECTS: tt.atomic_cas
// EFFECTS: tt.atomic_rmw
// EFFECTS-LABEL: tt.func @reads_and_writes
// EFFECTS-COUNT-2: tt.atomic_load
// EFFECTS-COUNT-2: tt.atomic_store
// EFFECTS-COUNT-2: tt.atomic_poll
