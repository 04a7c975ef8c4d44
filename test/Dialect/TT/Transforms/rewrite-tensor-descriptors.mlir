// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors -split-input-file | FileCheck %s
// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=CLEAN
// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors=only-for-rows -split-input-file | FileCheck %s --check-prefix=ONLY

// ONLY-LABEL: tt.func @load
// ONLY:         tt.descriptor_load
// CHECK-LABEL: tt.func @load
// CHECK-SAME:    %[[BASE:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i32, %[[START:[^:]*]]: i32
// CHECK-DAG:     %[[SPLAT:.*]] = tt.splat %[[BASE]]
// CHECK-DAG:     arith.extsi %[[START]] : i32 to i64
// CHECK:         arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[ABOVE:.*]] = arith.cmpi sge
// CHECK:         %[[BELOW:.*]] = arith.cmpi slt
// CHECK:         %[[MASK:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK:         tt.load %{{.*}}, %[[MASK]], %[[ZERO]] : tensor<64x!tt.ptr<f32>>
tt.func @load(%base: !tt.ptr<f32>, %n: i32, %start: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%c1] : <f32>, <64xf32>
  %x = tt.descriptor_load %d[%start] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: tt.func @nan
// CHECK:         %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<64xf16>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %[[NAN]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>}
tt.func @nan(%base: !tt.ptr<f16>, %n: i32, %start: i32) -> tensor<64xf16> {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%c1] {padding = 2 : i32} : <f16>, <64xf16>
  %x = tt.descriptor_load %d[%start] cacheModifier = cg : !tt.tensordesc<64xf16> -> tensor<64xf16>
  tt.return %x : tensor<64xf16>
}

// -----

// A block without its leading dimension of size 1.
// CHECK-LABEL: tt.func @ranks
// CHECK:         %[[X:.*]] = tt.load {{.*}} : tensor<1x64x!tt.ptr<f32>>
// CHECK:         %[[LINE:.*]] = tt.reshape %[[X]] : tensor<1x64xf32> -> tensor<64xf32>
// CHECK:         %[[ROW:.*]] = tt.reshape %[[LINE]] : tensor<64xf32> -> tensor<1x64xf32>
// CHECK:         tt.store %{{.*}}, %[[ROW]], %{{.*}} : tensor<1x64x!tt.ptr<f32>>
tt.func @ranks(%base: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1] : <f32>, <1x64xf32>
  %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<1x64xf32> -> tensor<64xf32>
  tt.descriptor_store %d[%m, %n], %x : !tt.tensordesc<1x64xf32>, tensor<64xf32>
  tt.return
}

// -----

// ONLY-LABEL: tt.func @rows
// ONLY-NOT:     tt.descriptor
// CHECK-LABEL: tt.func @rows
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %[[ROWS:.*]]: tensor<8xi16>
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[ROWS]] : tensor<8xi16> to tensor<8xi64>
// CHECK:         tt.reshape %[[WIDE]] : tensor<8xi64> -> tensor<8x1xi64>
// CHECK:         %[[X:.*]] = tt.load {{.*}} : tensor<8x64x!tt.ptr<f32>>
// CHECK:         tt.store %{{.*}}, %[[X]], %{{.*}} : tensor<8x64x!tt.ptr<f32>>
tt.func @rows(%base: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64, %rows: tensor<8xi16>) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1] : <f32>, <1x64xf32>
  %x = tt.descriptor_gather %d[%rows, %n] : (!tt.tensordesc<1x64xf32>, tensor<8xi16>, i32) -> tensor<8x64xf32>
  tt.descriptor_scatter %d[%rows, %n], %x : !tt.tensordesc<1x64xf32>, tensor<8xi16>, i32, tensor<8x64xf32>
  tt.return
}

// -----

// A kernel's descriptor becomes its base; extents and strides are parameters already, and the last stride is 1.
// ONLY-LABEL: tt.func public @parameter
// CHECK-LABEL: tt.func public @parameter
// CHECK-SAME:    (%[[BASE:[^:]*]]: !tt.ptr<f32>, %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32, %[[S:[^:]*]]: i64, %{{[^:]*}}: i64,
// CHECK-SAME:     %{{.*}}: !tt.ptr<f32>)
// CHECK-DAG:     tt.splat %[[BASE]] : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         tt.splat %[[S]] : i64 -> tensor<4x64xi64>
// CHECK:         arith.extsi %[[M]]
// CHECK:         tt.splat %[[ONE]] : i64 -> tensor<4x64xi64>
// CHECK:         arith.extsi %[[N]]
// CHECK:         arith.constant dense<0x7FC00000> : tensor<4x64xf32>
tt.func public @parameter(%d: !tt.tensordesc<4x64xf32> {tt.padding = 2 : i32}, %m: i32, %n: i32, %s: i64, %one: i64, %out: !tt.ptr<f32>) {
  %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<4x64xf32> -> tensor<4x64xf32>
  tt.descriptor_store %d[%n, %m], %x : !tt.tensordesc<4x64xf32>, tensor<4x64xf32>
  tt.return
}

// -----

// A loop carries the parts, and after canonicalization only those that change.
// CHECK-LABEL: tt.func @loop
// CHECK:         scf.for {{.*}} -> (!tt.ptr<f32>, i32, i64, i1, !tt.ptr<f32>, i32, i64, i1)
// CLEAN-LABEL: tt.func @loop
// CLEAN:         scf.for {{.*}} -> (!tt.ptr<f32>, !tt.ptr<f32>)
tt.func @loop(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32, %x: tensor<64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%n], [%one] : <f32>, <64xf32>
  %e = tt.make_tensor_descriptor %b, [%n], [%one] : <f32>, <64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%f = %d, %g = %e) -> (!tt.tensordesc<64xf32>, !tt.tensordesc<64xf32>) : i32 {
    tt.descriptor_store %f[%i], %x : !tt.tensordesc<64xf32>, tensor<64xf32>
    scf.yield %g, %f : !tt.tensordesc<64xf32>, !tt.tensordesc<64xf32>
  }
  tt.descriptor_store %r#0[%n], %x : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
}

// -----

// The padding is only known at run time.
// CHECK-LABEL: tt.func @branches
// CHECK-SAME:    %[[C:[^:]*]]: i1
// CHECK:         %[[IF:.*]]:4 = scf.if %[[C]] -> (!tt.ptr<f32>, i32, i64, i1)
// CHECK:         %[[CHOICE:.*]] = arith.select %[[C]], %{{.*}}, %[[IF]]#3 : i1
// CHECK:         %[[FILL:.*]] = arith.select %[[CHOICE]], %{{.*}}, %{{.*}} : f32
// CHECK:         %[[OTHER:.*]] = tt.splat %[[FILL]] : f32 -> tensor<64xf32>
// CHECK:         tt.load %{{.*}}, %{{.*}}, %[[OTHER]]
tt.func @branches(%c: i1, %a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%n], [%one] : <f32>, <64xf32>
  %e = tt.make_tensor_descriptor %b, [%n], [%one] {padding = 2 : i32} : <f32>, <64xf32>
  %f = scf.if %c -> !tt.tensordesc<64xf32> {
    scf.yield %d : !tt.tensordesc<64xf32>
  } else {
    scf.yield %e : !tt.tensordesc<64xf32>
  }
  %g = arith.select %c, %d, %f : !tt.tensordesc<64xf32>
  %x = tt.descriptor_load %g[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: tt.func @while
// CHECK:         scf.while {{.*}} -> (!tt.ptr<f32>, i32, i64, i1)
// CHECK:         ub.poison : !tt.ptr<f32>
tt.func @while(%a: !tt.ptr<f32>, %n: i32, %x: tensor<64xf32>, %go: i1) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%n], [%one] : <f32>, <64xf32>
  %r = scf.while (%f = %d) : (!tt.tensordesc<64xf32>) -> !tt.tensordesc<64xf32> {
    scf.condition(%go) %f : !tt.tensordesc<64xf32>
  } do {
  ^bb0(%f: !tt.tensordesc<64xf32>):
    tt.descriptor_store %f[%n], %x : !tt.tensordesc<64xf32>, tensor<64xf32>
    %p = ub.poison : !tt.tensordesc<64xf32>
    scf.yield %p : !tt.tensordesc<64xf32>
  }
  tt.descriptor_store %r[%n], %x : !tt.tensordesc<64xf32>, tensor<64xf32>
  tt.return
}
