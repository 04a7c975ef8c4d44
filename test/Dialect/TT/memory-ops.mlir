// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s
// RUN: blockdsl-opt %s --tt-version=3.8 | FileCheck %s --check-prefix=OLD

// CHECK-LABEL: tt.func @pointers_of_every_space
// CHECK-SAME:    !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32, "constant">, %{{.*}}: !tt.ptr<i8, "descriptor">, %{{.*}}: !tt.ptr<f16, 3>
// OLD-LABEL: tt.func @pointers_of_every_space
// OLD-SAME:    !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32, 4>, %{{.*}}: !tt.ptr<i8, 0>, %{{.*}}: !tt.ptr<f16, 3>
tt.func @pointers_of_every_space(%a: !tt.ptr<f32, 1>, %b: !tt.ptr<f32, 4>, %c: !tt.ptr<i8, "descriptor">, %d: !tt.ptr<f16, 3>) {
  tt.return
}

// CHECK-LABEL: tt.func @addptr
tt.func @addptr(%p: !tt.ptr<f32>, %b: tensor<64x!tt.ptr<f32>>, %i: i64, %j: tensor<64xi32>) {
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %1 = tt.addptr %b, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return
}

// CHECK-LABEL: tt.func @loads
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[M:.*]]: tensor<64xi1>, %[[O:.*]]: tensor<64xf32>, %[[S:.*]]: !tt.ptr<i1>)
tt.func @loads(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %o: tensor<64xf32>, %s: !tt.ptr<i1>) {
  // CHECK-NEXT: tt.load %[[P]] : tensor<64x!tt.ptr<f32>>
  %0 = tt.load %p : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %[[P]], %[[M]] : tensor<64x!tt.ptr<f32>>
  %1 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %[[P]], %[[M]], %[[O]] {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  %2 = tt.load %p, %m, %o {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %[[S]] : !tt.ptr<i1>
  %3 = tt.load %s {isVolatile = false} : !tt.ptr<i1>
  tt.return
}

// CHECK-LABEL: tt.func @stores
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[V:.*]]: tensor<64xf32>, %[[M:.*]]: tensor<64xi1>)
tt.func @stores(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<64xi1>) {
  // CHECK-NEXT: tt.store %[[P]], %[[V]] : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %[[P]], %[[V]], %[[M]] : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Both spellings of the hints are parsed; the spelling of the selected version is printed.
// CHECK-LABEL: tt.func @hints
// OLD-LABEL: tt.func @hints
tt.func @hints(%p: !tt.ptr<f32>, %v: f32) {
  // CHECK-NEXT: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : !tt.ptr<f32>
  // OLD-NEXT: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : !tt.ptr<f32>
  %0 = tt.load %p cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : !tt.ptr<f32>
  // CHECK-NEXT: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.ptr<f32>
  // OLD-NEXT: tt.load %{{.*}} evictionPolicy = evict_first : !tt.ptr<f32>
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.ptr<f32>
  // CHECK-NEXT: tt.store %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : !tt.ptr<f32>
  // OLD-NEXT: tt.store %{{.*}} cacheModifier = wt : !tt.ptr<f32>
  tt.store %p, %v evictionPolicy = evict_normal cacheModifier = wt : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func @block_pointers
tt.func @block_pointers(%p: !tt.ptr<f16>, %m: i64, %n: i64, %i: i32, %v: tensor<16x64xf16>) {
  // CHECK: %[[B:.*]] = tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<16x64xf16>>
  %b = tt.make_tensor_ptr %p, [%m, %n], [%n, %m], [%i, %i] {order = array<i32: 1, 0>} : <tensor<16x64xf16>>
  // CHECK: %[[C:.*]] = tt.advance %[[B]], [%{{.*}}, %{{.*}}] : <tensor<16x64xf16>>
  %c = tt.advance %b, [%i, %i] : <tensor<16x64xf16>>
  // CHECK: tt.load %[[C]] {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x64xf16>>
  %x = tt.load %c {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x64xf16>>
  // CHECK: tt.store %[[C]], %{{.*}} {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x64xf16>>
  tt.store %c, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x64xf16>>
  tt.return
}
