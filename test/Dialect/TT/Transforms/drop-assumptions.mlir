// RUN: blockdsl-opt %s --tt-drop-assumptions | FileCheck %s

// CHECK-LABEL: tt.func @flags
// CHECK:         arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         arith.muli %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK:         arith.shli %{{.*}}, %{{.*}} : i32
// CHECK:         arith.trunci %{{.*}} : i32 to i8
// CHECK:         arith.divsi %{{.*}}, %{{.*}} : i32
// CHECK:         arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : f32
tt.func @flags(%a: i32, %b: tensor<4xi32>, %x: f32) -> (i32, tensor<4xi32>, i32, i8, i32, i32, f32, f32, i1) {
  %0 = arith.addi %a, %a overflow<nsw> : i32
  %1 = arith.muli %b, %b overflow<nsw, nuw> : tensor<4xi32>
  %2 = arith.shli %a, %a overflow<nuw> : i32
  %3 = arith.trunci %a overflow<nsw> : i32 to i8
  %4 = arith.divsi %a, %a exact : i32
  %5 = arith.shrui %a, %a exact : i32
  %6 = arith.addf %x, %x fastmath<nnan,ninf> : f32
  %7 = arith.mulf %x, %x fastmath<reassoc,nnan,contract> : f32
  %8 = arith.cmpf olt, %x, %x fastmath<nnan> : f32
  tt.return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i32, tensor<4xi32>, i32, i8, i32, i32, f32, f32, i1
}

// CHECK-LABEL: tt.func @conditions
// CHECK-NOT:     assume
// CHECK:         tt.return
tt.func @conditions(%c: i1) {
  llvm.intr.assume %c : i1
  tt.return
}

// CHECK-LABEL: tt.func @poison
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[FLOATS:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:     %[[NOWHERE:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[POINTER:.*]] = tt.int_to_ptr %[[NOWHERE]] : i64 -> !tt.ptr<f32>
// CHECK-DAG:     %[[ALL:.*]] = arith.constant dense<0> : tensor<4xi64>
// CHECK-DAG:     %[[POINTERS:.*]] = tt.int_to_ptr %[[ALL]] : tensor<4xi64> -> tensor<4x!tt.ptr<f32>>
// CHECK-NOT:     ub.poison
// CHECK:         tt.return %[[ONE]], %[[FLOATS]], %[[POINTER]], %[[POINTERS]]
tt.func @poison() -> (i32, tensor<4xf32>, !tt.ptr<f32>, tensor<4x!tt.ptr<f32>>) {
  %0 = ub.poison : i32
  %1 = ub.poison : tensor<4xf32>
  %2 = ub.poison : !tt.ptr<f32>
  %3 = ub.poison : tensor<4x!tt.ptr<f32>>
  tt.return %0, %1, %2, %3 : i32, tensor<4xf32>, !tt.ptr<f32>, tensor<4x!tt.ptr<f32>>
}
