// RUN: blockdsl-opt %s --tt-accumulate-dots | FileCheck %s

// The addend may be on either side, and may come after the dot.
// CHECK-LABEL: tt.func @added
// CHECK-SAME:    %[[A:[^:]*]]: tensor<16x16xf32>, %[[ACC:[^:]*]]: tensor<16x16xf32>
// CHECK:         %[[OTHER:.*]] = arith.mulf %[[ACC]], %[[ACC]]
// CHECK-NEXT:    %[[SUM:.*]] = tt.dot %[[A]], %[[A]], %[[OTHER]]
// CHECK-NEXT:    %[[TWO:.*]] = tt.dot %[[A]], %[[A]], %[[SUM]]
// CHECK-NEXT:    tt.return %[[TWO]]
tt.func @added(%a: tensor<16x16xf32>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = arith.mulf %acc, %acc : tensor<16x16xf32>
  %2 = arith.addf %1, %0 : tensor<16x16xf32>
  %3 = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %4 = arith.addf %3, %2 : tensor<16x16xf32>
  tt.return %4 : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @integers
// CHECK:         tt.dot %{{.*}}, %{{.*}}, %arg1
// CHECK-NOT:     arith.addi
tt.func @integers(%a: tensor<16x32xi8>, %acc: tensor<16x16xi32>, %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %0 = tt.dot %a, %b, %zero : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %1 = arith.addi %acc, %0 : tensor<16x16xi32>
  tt.return %1 : tensor<16x16xi32>
}

// A dot that another op uses would be computed twice; one with an accumulator has its sum already; one whose sums are
// imprecise adds up fewer of them.
// CHECK-LABEL: tt.func @kept
// CHECK-COUNT-3: arith.addf
tt.func @kept(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %acc: tensor<16x16xf32>, %f: tensor<16x32xf8E5M2>, %g: tensor<32x16xf8E5M2>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %b, %zero : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %1 = arith.addf %acc, %0 : tensor<16x16xf32>
  %2 = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %3 = arith.addf %acc, %2 : tensor<16x16xf32>
  %4 = tt.dot %f, %g, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %5 = arith.addf %acc, %4 : tensor<16x16xf32>
  tt.return %0, %1, %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
