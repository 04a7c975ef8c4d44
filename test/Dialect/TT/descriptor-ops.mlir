// RUN: blockdsl-opt %s -split-input-file | blockdsl-opt -split-input-file | FileCheck %s
// RUN: blockdsl-opt %s -split-input-file -mlir-print-op-generic | blockdsl-opt -split-input-file | FileCheck %s
// RUN: blockdsl-opt %s --tt-version=3.8 | FileCheck %s --check-prefix=HINTS
// RUN: blockdsl-opt %s --tt-version=3.7 | FileCheck %s --check-prefix=WRAPPED
// RUN: blockdsl-opt %s --tt-version=3.6 | FileCheck %s --check-prefix=WRAPPED

// CHECK-LABEL: tt.func @descriptors
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f16>
// WRAPPED-LABEL: tt.func @descriptors
tt.func @descriptors(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %v: tensor<16x64xf16>) {
  %c1 = arith.constant 1 : i64
  // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %[[P]], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <16x64xf16>
  // WRAPPED: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<16x64xf16>>
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f16>, <16x64xf16>
  // CHECK: tt.make_tensor_descriptor %{{.*}} {padding = 2 : i32} : <f16>, <16x64xf16>
  %e = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] {padding = 2 : i32} : <f16>, <tensor<16x64xf16>>
  // CHECK: tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
  // WRAPPED: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
  %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
  // CHECK: tt.descriptor_load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc
  // HINTS: tt.descriptor_load %{{.*}}[%{{.*}}] cacheModifier = cg : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
  %y = tt.descriptor_load %e[%m, %n] cacheModifier = cg : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
  // CHECK: tt.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  tt.descriptor_store %d[%m, %n], %v : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  // CHECK: tt.descriptor_reduce add, %[[D]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  tt.descriptor_reduce add, %d[%m, %n], %v : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  tt.return
}

// CHECK-LABEL: tt.func @rows
// CHECK-SAME:    %[[D:[^:]*]]: !tt.tensordesc<1x64xbf16>
tt.func @rows(%d: !tt.tensordesc<1x64xbf16>, %rows: tensor<32xi32>, %j: i32) {
  // CHECK: %[[X:.*]] = tt.descriptor_gather %[[D]][%{{.*}}, %{{.*}}] : (!tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32) -> tensor<32x64xbf16>
  %x = tt.descriptor_gather %d[%rows, %j] : (!tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32) -> tensor<32x64xbf16>
  // CHECK: tt.descriptor_scatter %[[D]][%{{.*}}, %{{.*}}], %[[X]] : !tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32, tensor<32x64xbf16>
  tt.descriptor_scatter %d[%rows, %j], %x : !tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32, tensor<32x64xbf16>
  tt.return
}

// Only the descriptor's type has the signedness of integers. Leading dimensions of size 1 may be omitted.
// CHECK-LABEL: tt.func @kinds_of_blocks
tt.func @kinds_of_blocks(%p: !tt.ptr<i32>, %n: i32, %s: i64, %v: tensor<64xi32>) {
  // CHECK: tt.make_tensor_descriptor {{.*}} : <i32>, <1x1x64xui32>
  %d = tt.make_tensor_descriptor %p, [%n, %n, %n], [%s, %s, %s] : <i32>, <1x1x64xui32>
  // CHECK: tt.descriptor_load {{.*}} : !tt.tensordesc<1x1x64xui32> -> tensor<1x64xi32>
  %x = tt.descriptor_load %d[%n, %n, %n] : !tt.tensordesc<1x1x64xui32> -> tensor<1x64xi32>
  // CHECK: tt.descriptor_reduce max, {{.*}} : !tt.tensordesc<1x1x64xui32>, tensor<64xi32>
  tt.descriptor_reduce max, %d[%n, %n, %n], %v : !tt.tensordesc<1x1x64xui32>, tensor<64xi32>
  tt.return
}
