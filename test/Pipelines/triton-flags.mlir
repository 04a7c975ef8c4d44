// RUN: blockdsl-opt %s -triton-rewrite-tensor-descriptor-to-pointer -canonicalize -cse | FileCheck %s
// RUN: blockdsl-opt %s -triton-rewrite-tensor-pointer | FileCheck %s --check-prefix=POINTERS

// Triton's flags for passes that have another name here.
// CHECK-LABEL: tt.func @through_a_descriptor
// CHECK-NOT: tt.make_tensor_descriptor
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
tt.func @through_a_descriptor(%p: !tt.ptr<f32>, %n: i32, %out: tensor<64x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%c1] : <f32>, <64xf32>
  %x = tt.descriptor_load %d[%c0] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.store %out, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}

// POINTERS-LABEL: tt.func @through_a_block_pointer
// POINTERS-NOT: tt.make_tensor_ptr
// POINTERS: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
tt.func @through_a_block_pointer(%p: !tt.ptr<f32>, %n: i64, %out: tensor<64x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %b : !tt.ptr<tensor<64xf32>>
  tt.store %out, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}
