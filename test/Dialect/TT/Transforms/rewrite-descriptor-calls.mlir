// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors | FileCheck %s
// RUN: blockdsl-opt %s -triton-rewrite-tensor-descriptor-to-pointer -inline | FileCheck %s --check-prefix=INLINED

// INLINED-NOT: tensordesc

// CHECK-LABEL: tt.func private @first
// CHECK-SAME: %[[N:.*]]: i32 {tt.divisibility = 16 : i32}, %[[BASE:.*]]: !tt.ptr<f32>, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[S0:.*]]: i64, %[[S1:.*]]: i64, %[[NAN:.*]]: i1)
// CHECK-SAME: -> (!tt.ptr<f32>, i32, i32, i64, i64, i1, i32)
tt.func private @first(%n: i32 {tt.divisibility = 16 : i32}, %desc: !tt.tensordesc<4x8xf32>) -> (!tt.tensordesc<4x8xf32>, i32) {
  // CHECK: tt.return %[[BASE]], %[[ROWS]], %[[COLUMNS]], %[[S0]], %[[S1]], %[[NAN]], %[[N]]
  tt.return %desc, %n : !tt.tensordesc<4x8xf32>, i32
}

// CHECK-LABEL: tt.func public @calls_and_branches
tt.func public @calls_and_branches(%x: !tt.ptr<f32>, %rows: i32, %columns: i32, %stride: i64, %other: i1) -> tensor<4x8xf32> {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %desc = tt.make_tensor_descriptor %x, [%rows, %columns], [%stride, %c1] : !tt.ptr<f32>, !tt.tensordesc<4x8xf32>
  // CHECK: %[[R:.*]]:7 = tt.call @first(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !tt.ptr<f32>, i32, i32, i64, i64, i1) -> (!tt.ptr<f32>, i32, i32, i64, i64, i1, i32)
  %same:2 = tt.call @first(%zero, %desc) : (i32, !tt.tensordesc<4x8xf32>) -> (!tt.tensordesc<4x8xf32>, i32)
  // CHECK: cf.cond_br %{{.*}}, ^[[A:.*]](%[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[R]]#4, %[[R]]#5 : {{.*}}), ^[[B:.*]]
  cf.cond_br %other, ^a(%same#0 : !tt.tensordesc<4x8xf32>), ^b
^b:
  // CHECK: cf.br ^[[A]](%{{.*}} : !tt.ptr<f32>, i32, i32, i64, i64, i1)
  cf.br ^a(%desc : !tt.tensordesc<4x8xf32>)
^a(%met: !tt.tensordesc<4x8xf32>):
  // CHECK-NOT: tensordesc
  // CHECK: tt.load
  %block = tt.descriptor_load %met[%zero, %same#1] : !tt.tensordesc<4x8xf32> -> tensor<4x8xf32>
  tt.return %block : tensor<4x8xf32>
}
