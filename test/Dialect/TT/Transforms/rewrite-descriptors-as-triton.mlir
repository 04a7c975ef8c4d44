// RUN: blockdsl-opt %s -triton-rewrite-tensor-descriptor-to-pointer | FileCheck %s --implicit-check-not=tensordesc
// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors=as-triton | FileCheck %s --implicit-check-not=tensordesc

// A kernel's descriptor parameter becomes its parts, as in other functions. The parameters after it are not used as its
// extents and strides, and its attributes become those of the base.
// CHECK-LABEL: tt.func public @parameter
// CHECK-SAME:    (%[[N:[^:]*]]: i32 {tt.divisibility = 16 : i32},
// CHECK-SAME:     %[[BASE:[^:]*]]: !tt.ptr<f32> {tt.nv_tma_desc = 1 : i32}, %[[ROWS:[^:]*]]: i64, %[[COLUMNS:[^:]*]]: i64,
// CHECK-SAME:     %[[S0:[^:]*]]: i64, %[[S1:[^:]*]]: i64, %[[NAN:[^:]*]]: i1, %[[ROUND:[^:]*]]: i1,
// CHECK-SAME:     %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i64, %{{[^:]*}}: i64)
// CHECK-DAG:     tt.splat %[[BASE]]
// CHECK-DAG:     tt.splat %[[ROWS]]
// CHECK-DAG:     tt.splat %[[COLUMNS]]
// CHECK-DAG:     tt.splat %[[S0]]
// CHECK-DAG:     tt.splat %[[S1]]
// CHECK:         arith.select %[[NAN]], %{{.*}}, %{{.*}} : f32
// CHECK:         %[[X:.*]] = tt.load
// CHECK:         %[[BITS:.*]] = tt.bitcast %[[X]] : tensor<4x64xf32> -> tensor<4x64xi32>
// CHECK:         %[[TF32:.*]] = tt.bitcast %{{.*}} : tensor<4x64xi32> -> tensor<4x64xf32>
// CHECK:         %[[Y:.*]] = arith.select %[[ROUND]], %[[TF32]], %[[X]] : tensor<4x64xf32>
// CHECK:         tt.store %{{.*}}, %[[Y]]
tt.func public @parameter(%n: i32 {tt.divisibility = 16 : i32}, %d: !tt.tensordesc<4x64xf32> {tt.nv_tma_desc = 1 : i32},
                          %a: i32, %b: i32, %s: i64, %t: i64) {
  %x = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<4x64xf32> -> tensor<4x64xf32>
  tt.descriptor_store %d[%n, %n], %x : !tt.tensordesc<4x64xf32>, tensor<4x64xf32>
  tt.return
}

// Numbers of other types are not rounded, and integers have no NaN.
// CHECK-LABEL: tt.func public @of_other_types
// CHECK-NOT:     tt.bitcast
// CHECK-NOT:     arith.select
// CHECK:         tt.load
// CHECK:         arith.select %{{.*}} : f16
// CHECK-NOT:     tt.bitcast
// CHECK:         tt.return
tt.func public @of_other_types(%d: !tt.tensordesc<64xsi32>, %e: !tt.tensordesc<64xf16>, %n: i32) {
  %x = tt.descriptor_load %d[%n] : !tt.tensordesc<64xsi32> -> tensor<64xi32>
  %y = tt.descriptor_load %e[%n] : !tt.tensordesc<64xf16> -> tensor<64xf16>
  tt.descriptor_store %d[%n], %x : !tt.tensordesc<64xsi32>, tensor<64xi32>
  tt.descriptor_store %e[%n], %y : !tt.tensordesc<64xf16>, tensor<64xf16>
  tt.return
}

// A descriptor made in the kernel does not round, and its last stride is not assumed to be 1.
// CHECK-LABEL: tt.func public @made
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i32, %[[S:[^:]*]]: i64
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         tt.splat %[[S]]
// CHECK:         tt.load
// CHECK-NOT:     tt.bitcast
// CHECK:         tt.return
tt.func public @made(%p: !tt.ptr<f32>, %n: i32, %s: i64) -> tensor<64xf32> {
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <64xf32>
  %x = tt.descriptor_load %d[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}

// CHECK-LABEL: tt.func public @switch
// CHECK-SAME:    (%[[BASE:[^:]*]]: !tt.ptr<f32>, %[[M:[^:]*]]: i64, %[[S:[^:]*]]: i64, %[[NAN:[^:]*]]: i1, %[[ROUND:[^:]*]]: i1, %[[N:[^:]*]]: i32)
// CHECK:         cf.switch %[[N]] : i32, [
// CHECK-NEXT:      default: ^[[ONE:.*]](%[[BASE]], %[[M]], %[[S]], %[[NAN]], %[[ROUND]], %[[N]] : !tt.ptr<f32>, i64, i64, i1, i1, i32),
// CHECK-NEXT:      3: ^[[END:.*]],
// CHECK-NEXT:      5: ^[[ONE]](%[[BASE]], %[[M]], %[[S]], %[[NAN]], %[[ROUND]], %[[N]] : !tt.ptr<f32>, i64, i64, i1, i1, i32)
tt.func public @switch(%d: !tt.tensordesc<64xf32>, %n: i32) {
  cf.switch %n : i32, [
    default: ^one(%d, %n : !tt.tensordesc<64xf32>, i32),
    3: ^end,
    5: ^one(%d, %n : !tt.tensordesc<64xf32>, i32)
  ]
^one(%e: !tt.tensordesc<64xf32>, %m: i32):
  %x = tt.descriptor_load %e[%m] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.descriptor_store %e[%n], %x : !tt.tensordesc<64xf32>, tensor<64xf32>
  cf.br ^end
^end:
  tt.return
}

// CHECK-LABEL: tt.func private @declared
// CHECK-SAME:    (!tt.ptr<f32>, i64, i64, i1, i1)
tt.func private @declared(%d: !tt.tensordesc<64xf32>)

// CHECK-LABEL: tt.func public @index_switch
// CHECK:         scf.index_switch %{{.*}} -> !tt.ptr<f32>, i64, i64, i1, i1
tt.func public @index_switch(%d: !tt.tensordesc<64xf32>, %e: !tt.tensordesc<64xf32>, %i: index) {
  %f = scf.index_switch %i -> !tt.tensordesc<64xf32>
  case 1 {
    scf.yield %d : !tt.tensordesc<64xf32>
  }
  default {
    scf.yield %e : !tt.tensordesc<64xf32>
  }
  tt.call @declared(%f) : (!tt.tensordesc<64xf32>) -> ()
  tt.return
}
