// RUN: blockdsl-opt %s -tt-rewrite-block-pointers | FileCheck %s

// CHECK-LABEL: tt.func @checked_load
// CHECK-SAME:    %[[BASE:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i64, %[[START:[^:]*]]: i32
// CHECK-DAG:     %[[SPLAT:.*]] = tt.splat %[[BASE]]
// CHECK-DAG:     arith.extsi %[[START]] : i32 to i64
// CHECK:         %[[ABOVE:.*]] = arith.cmpi sge
// CHECK:         %[[BELOW:.*]] = arith.cmpi slt
// CHECK:         %[[MASK:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK:         tt.load %{{.*}}, %[[MASK]], %{{.*}} : tensor<64x!tt.ptr<f32>>
tt.func @checked_load(%base: !tt.ptr<f32>, %n: i64, %start: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%n], [%c1], [%start] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// Without a check there is no mask.
// CHECK-LABEL: tt.func @unchecked_store
// CHECK-NOT:     arith.cmpi
// CHECK:         tt.store %{{[^,]*}}, %{{[^,]*}} : tensor<64x!tt.ptr<f32>>
tt.func @unchecked_store(%base: !tt.ptr<f32>, %n: i64, %x: tensor<64xf32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %base, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  tt.store %p, %x : !tt.ptr<tensor<64xf32>>
  tt.return
}

// CHECK-LABEL: tt.func @loop_carries_the_offset
// CHECK-NOT:     tt.make_tensor_ptr
// CHECK:         scf.for {{.*}} -> (i32)
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %c64_i32 : i32
// CHECK:           scf.yield %[[NEXT]] : i32
tt.func @loop_carries_the_offset(%base: !tt.ptr<f32>, %n: i64, %m: i32, %x: tensor<64xf32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64_i32 = arith.constant 64 : i32
  %p = tt.make_tensor_ptr %base, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.for %i = %c0 to %m step %one iter_args(%q = %p) -> (!tt.ptr<tensor<64xf32>>) : i32 {
    tt.store %q, %x : !tt.ptr<tensor<64xf32>>
    %next = tt.advance %q, [%c64_i32] : <tensor<64xf32>>
    scf.yield %next : !tt.ptr<tensor<64xf32>>
  }
  tt.return
}
