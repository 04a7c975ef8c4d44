// RUN: blockdsl-opt %s -pass-pipeline='builtin.module(tt.func(test-emitter-input))' | FileCheck %s

// Verifying changes nothing. Each kernel has one kind of op that loops are emitted from.

// CHECK-LABEL: tt.func @scalars
// CHECK-NEXT: arith.addi
tt.func @scalars(%x: i32) {
  %y = arith.addi %x, %x : i32
  tt.return
}

#first = affine_map<(i) -> (0)>
#id = affine_map<(i) -> (i)>

// CHECK-LABEL: tt.func @broadcast_input
tt.func @broadcast_input() {
  %x = arith.constant dense<1.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.generic
  %y = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<1xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  tt.return
}

// CHECK-LABEL: tt.func @gather_in_a_body
tt.func @gather_in_a_body() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: tensor.extract
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%b: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %a : f32
  } -> tensor<4xf32>
  tt.return
}

// CHECK-LABEL: tt.func @matmul_in_a_loop
tt.func @matmul_in_a_loop(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<4x4xf32>
  // CHECK: linalg.matmul
  %y = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> tensor<4x4xf32> : i32 {
    %next = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %next : tensor<4x4xf32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @reduction
tt.func @reduction() {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // CHECK: tt.reduce
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}
