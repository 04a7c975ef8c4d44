// RUN: blockdsl-opt %s -expand-elementwise | FileCheck %s

// Ops of other stages, shapes and element types are unchanged.

// CHECK-LABEL: tt.func @earlier_stage
// CHECK-NEXT:    math.exp
tt.func @earlier_stage(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = math.exp %x : tensor<16xf32>
  tt.return %y : tensor<16xf32>
}

// CHECK-LABEL: func.func @other_shapes
// CHECK-NEXT:    math.exp %{{.*}} : tensor<16xf32>
// CHECK-NEXT:    math.exp %{{.*}} : vector<4x4xf32>
// CHECK-NEXT:    math.exp %{{.*}} : vector<[4]xf32>
func.func @other_shapes(%x: tensor<16xf32>, %y: vector<4x4xf32>, %z: vector<[4]xf32>) -> (tensor<16xf32>, vector<4x4xf32>, vector<[4]xf32>) {
  %a = math.exp %x : tensor<16xf32>
  %b = math.exp %y : vector<4x4xf32>
  %c = math.exp %z : vector<[4]xf32>
  return %a, %b, %c : tensor<16xf32>, vector<4x4xf32>, vector<[4]xf32>
}

// CHECK-LABEL: func.func @other_numbers
// CHECK-NEXT:    math.exp %{{.*}} : f128
// CHECK-NEXT:    arith.divsi %{{.*}} : i128
// CHECK-NEXT:    arith.divui %{{.*}} : index
func.func @other_numbers(%x: f128, %y: i128, %z: index) -> (f128, i128, index) {
  %a = math.exp %x : f128
  %b = arith.divsi %y, %y : i128
  %c = arith.divui %z, %z : index
  return %a, %b, %c : f128, i128, index
}
