// RUN: blockdsl-opt %s -convert-tt-to-linalg | FileCheck %s
// An elementwise op of any dialect becomes a map over the same op on scalars.

// CHECK-LABEL: tt.func @op_of_arith
// CHECK-SAME:    %[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<64xf32>
// CHECK:         linalg.map { arith.addf {{.*}}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[EMPTY]] : {{.*}})
tt.func @op_of_arith(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %c = arith.addf %a, %b : tensor<64xf32>
  tt.return %c : tensor<64xf32>
}

// CHECK-LABEL: tt.func @op_of_tt
// CHECK:         linalg.map { tt.mulhiui } ins(%{{.*}}, %{{.*}} : tensor<64xi32>, tensor<64xi32>)
tt.func @op_of_tt(%a: tensor<64xi32>, %b: tensor<64xi32>) -> tensor<64xi32> {
  %c = tt.mulhiui %a, %b : tensor<64xi32>
  tt.return %c : tensor<64xi32>
}

// An operand that is used twice is one input.
// CHECK-LABEL: tt.func @same_operand_twice
// CHECK:         linalg.map ins(%{{[^,]*}} : tensor<64xf32>)
// CHECK:           arith.mulf %[[X:.*]], %[[X]] : f32
tt.func @same_operand_twice(%a: tensor<64xf32>) -> tensor<64xf32> {
  %c = arith.mulf %a, %a : tensor<64xf32>
  tt.return %c : tensor<64xf32>
}

// A scalar condition is captured, not broadcast.
// CHECK-LABEL: tt.func @select_by_a_scalar
// CHECK-SAME:    %[[C:[^:]*]]: i1
// CHECK:         linalg.map
// CHECK:           arith.select %[[C]], %{{.*}}, %{{.*}} : f32
tt.func @select_by_a_scalar(%c: i1, %a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %d = arith.select %c, %a, %b : tensor<64xf32>
  tt.return %d : tensor<64xf32>
}

// CHECK-LABEL: tt.func @region_of_one_element
// CHECK:         linalg.generic
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK:           linalg.yield %[[SUM]] : i32
tt.func @region_of_one_element(%a: tensor<64xi32>) -> tensor<64xi32> {
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %y = arith.addi %x, %x : i32
    tt.map_elementwise.return %y : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %b : tensor<64xi32>
}
