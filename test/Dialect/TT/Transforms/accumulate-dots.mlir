// RUN: blockdsl-opt %s --tt-accumulate-dots | FileCheck %s

// The addend may be on either side, and the sum of floats or of integers.
// CHECK-LABEL: tt.func @carried
// CHECK:         scf.for {{.*}} iter_args(%[[F:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}})
// CHECK-NEXT:      %[[NEXT:.*]] = tt.dot %arg0, %arg1, %[[F]]
// CHECK-NEXT:      %[[COUNT:.*]] = tt.dot %arg2, %arg3, %[[I]]
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[COUNT]]
tt.func @carried(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x32xi8>, %d: tensor<32x16xi8>, %n: i32)
    -> (tensor<16x16xf32>, tensor<16x16xi32>) {
  %f = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = arith.constant dense<0> : tensor<16x16xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0:2 = scf.for %turn = %zero to %n step %one iter_args(%x = %f, %y = %i) -> (tensor<16x16xf32>, tensor<16x16xi32>) : i32 {
    %1 = tt.dot %a, %b, %f : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    %2 = arith.addf %x, %1 : tensor<16x16xf32>
    %3 = tt.dot %c, %d, %i : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
    %4 = arith.addi %3, %y : tensor<16x16xi32>
    scf.yield %2, %4 : tensor<16x16xf32>, tensor<16x16xi32>
  }
  tt.return %0#0, %0#1 : tensor<16x16xf32>, tensor<16x16xi32>
}

// Unchanged: a sum that no loop carries; of a dot with another use, which would be computed twice; of a dot with an
// accumulator; and of a dot with imprecise sums, which bounds the number of accumulated products.
// CHECK-LABEL: tt.func @kept
// CHECK:         arith.addf
// CHECK:         scf.for
// CHECK-COUNT-4:   arith.addf
tt.func @kept(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %acc: tensor<16x16xf32>, %f: tensor<16x32xf8E5M2>,
              %g: tensor<32x16xf8E5M2>, %n: i32) -> tensor<16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %outside = tt.dot %a, %b, %z : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %start = arith.addf %acc, %outside : tensor<16x16xf32>
  %0:3 = scf.for %turn = %zero to %n step %one iter_args(%x = %start, %y = %z, %w = %z) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) : i32 {
    %1 = tt.dot %a, %b, %z : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    %2 = arith.addf %x, %1 : tensor<16x16xf32>
    %3 = arith.addf %2, %1 : tensor<16x16xf32>
    %4 = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    %5 = arith.addf %y, %4 : tensor<16x16xf32>
    %6 = tt.dot %f, %g, %z {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
    %7 = arith.addf %w, %6 : tensor<16x16xf32>
    scf.yield %3, %5, %7 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  }
  tt.return %0#0 : tensor<16x16xf32>
}
