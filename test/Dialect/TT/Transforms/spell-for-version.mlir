// RUN: blockdsl-opt %s -tt-spell-for-version=version=3.8 | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: blockdsl-opt %s -tt-spell-for-version=version=3.9 | FileCheck %s --check-prefixes=CHECK,LATEST

// EARLY-LABEL:  tt.func @negation
// EARLY:          %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf32>
// EARLY:          arith.subf %[[ZERO]], %{{.*}} fastmath<contract> : tensor<8xf32>
// EARLY:          %[[SCALAR:.*]] = arith.constant -0.000000e+00 : f64
// EARLY:          arith.subf %[[SCALAR]], %{{.*}} : f64
// EARLY-NOT:      arith.negf
// LATEST-LABEL: tt.func @negation
// LATEST-COUNT-2: arith.negf
tt.func @negation(%x: tensor<8xf32>, %y: f64) -> (tensor<8xf32>, f64) {
  %0 = arith.negf %x fastmath<contract> : tensor<8xf32>
  %1 = arith.negf %y : f64
  tt.return %0, %1 : tensor<8xf32>, f64
}

// CHECK-LABEL:  tt.func @clamps_of_f64
// CHECK:          %[[ABOVE:.*]] = arith.maxnumf %[[X:.*]], %[[LOW:.*]] : tensor<8xf64>
// CHECK:          arith.minnumf %[[ABOVE]], %[[HIGH:.*]] : tensor<8xf64>
// CHECK:          %[[ABOVE:.*]] = arith.maximumf %[[X]], %[[LOW]] : tensor<8xf64>
// CHECK:          arith.minimumf %[[ABOVE]], %[[HIGH]] : tensor<8xf64>
tt.func @clamps_of_f64(%x: tensor<8xf64>, %low: tensor<8xf64>, %high: tensor<8xf64>)
    -> (tensor<8xf64>, tensor<8xf64>) {
  %0 = tt.clampf %x, %low, %high, propagateNan = none : tensor<8xf64>
  %1 = tt.clampf %x, %low, %high, propagateNan = all : tensor<8xf64>
  tt.return %0, %1 : tensor<8xf64>, tensor<8xf64>
}

// CHECK-LABEL:  tt.func @other_clamps
// EARLY:          arith.maxnumf %{{.*}}, %{{.*}} : bf16
// EARLY:          arith.minnumf %{{.*}}, %{{.*}} : bf16
// LATEST:         tt.clampf %{{.*}} : bf16
// CHECK:          tt.clampf %{{.*}} : f16
// CHECK:          tt.clampf %{{.*}} : f32
tt.func @other_clamps(%x: bf16, %y: f16, %z: f32) -> (bf16, f16, f32) {
  %0 = tt.clampf %x, %x, %x, propagateNan = none : bf16
  %1 = tt.clampf %y, %y, %y, propagateNan = none : f16
  %2 = tt.clampf %z, %z, %z, propagateNan = none : f32
  tt.return %0, %1, %2 : bf16, f16, f32
}

// EARLY-LABEL:  tt.func @between_halves
// EARLY:          %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// EARLY:          arith.truncf %[[WIDE]] : tensor<8xf32> to tensor<8xf16>
// EARLY:          tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf16>
// LATEST-LABEL: tt.func @between_halves
// LATEST-COUNT-2: tt.fp_to_fp
tt.func @between_halves(%x: tensor<8xbf16>, %y: tensor<8xf8E5M2>) -> (tensor<8xf16>, tensor<8xf16>) {
  %0 = tt.fp_to_fp %x, rounding = rtne : tensor<8xbf16> -> tensor<8xf16>
  %1 = tt.fp_to_fp %y : tensor<8xf8E5M2> -> tensor<8xf16>
  tt.return %0, %1 : tensor<8xf16>, tensor<8xf16>
}
