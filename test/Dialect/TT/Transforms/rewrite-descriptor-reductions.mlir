// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors | FileCheck %s

// A reduction is an atomic update of the elements inside of the array; the type of the descriptor has the signedness of
// integers.
// CHECK-LABEL: tt.func @reductions
tt.func @reductions(%p: !tt.ptr<i32>, %q: !tt.ptr<f16>, %n: i32, %x: tensor<64xi32>, %y: tensor<64xf16>) {
  %c1 = arith.constant 1 : i64
  %s = tt.make_tensor_descriptor %p, [%n], [%c1] : <i32>, <64xsi32>
  %u = tt.make_tensor_descriptor %p, [%n], [%c1] : <i32>, <64xui32>
  %f = tt.make_tensor_descriptor %q, [%n], [%c1] : <f16>, <64xf16>
  // CHECK: %[[INSIDE:.*]] = arith.andi
  // CHECK: tt.atomic_rmw max, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.descriptor_reduce max, %s[%n], %x : !tt.tensordesc<64xsi32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw umax, relaxed, gpu
  tt.descriptor_reduce max, %u[%n], %x : !tt.tensordesc<64xui32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw min, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<f16>>
  tt.descriptor_reduce min, %f[%n], %y : !tt.tensordesc<64xf16>, tensor<64xf16>
  // CHECK: tt.atomic_rmw fadd, relaxed, gpu
  tt.descriptor_reduce add, %f[%n], %y : !tt.tensordesc<64xf16>, tensor<64xf16>
  // CHECK: tt.atomic_rmw add, relaxed, gpu
  tt.descriptor_reduce add, %u[%n], %x : !tt.tensordesc<64xui32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw inc, relaxed, gpu
  tt.descriptor_reduce inc, %u[%n], %x : !tt.tensordesc<64xui32>, tensor<64xi32>
  // CHECK: tt.atomic_rmw dec, relaxed, gpu
  tt.descriptor_reduce dec, %u[%n], %x : !tt.tensordesc<64xui32>, tensor<64xi32>
  tt.return
}
