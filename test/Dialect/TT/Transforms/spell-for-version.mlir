// RUN: blockdsl-opt %s -tt-spell-for-version=version=3.8 | FileCheck %s --check-prefix=EARLY
// RUN: blockdsl-opt %s -tt-spell-for-version=version=3.9 | FileCheck %s --check-prefix=LATEST

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
