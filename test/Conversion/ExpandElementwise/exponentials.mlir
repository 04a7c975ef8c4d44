// RUN: blockdsl-opt %s -expand-elementwise=features=+avx512f,+avx512dq | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: blockdsl-opt %s -expand-elementwise | FileCheck %s --check-prefixes=CHECK,PORTABLE

// Rounded by adding 1.5 * 2^23. In portable code the argument is clamped, except for NaN, and the result scaled by two
// powers of two. With AVX-512 one instruction scales by any exponent, so that the rest is clamped instead.

// CHECK-LABEL: func.func @exp_f32
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>
// PORTABLE-DAG:  %[[LOW:.*]] = arith.constant dense<-1.040000e+02>
// PORTABLE-DAG:  %[[HIGH:.*]] = arith.constant dense<8.900000e+01>
// AVX512-DAG:    %[[BOUND:.*]] = arith.constant dense<5.000000e-01>
// CHECK-DAG:     %[[MAGIC:.*]] = arith.constant dense<0x4B400000>
// PORTABLE:      %[[IS_LOW:.*]] = arith.cmpf ogt, %[[LOW]], %[[X]]
// PORTABLE-NEXT: %[[A:.*]] = arith.select %[[IS_LOW]], %[[LOW]], %[[X]]
// PORTABLE-NEXT: %[[IS_HIGH:.*]] = arith.cmpf olt, %[[HIGH]], %[[A]]
// PORTABLE-NEXT: %[[B:.*]] = arith.select %[[IS_HIGH]], %[[HIGH]], %[[A]]
// PORTABLE-NEXT: %[[SHIFTED:.*]] = math.fma %[[B]], %{{.*}}, %[[MAGIC]]
// AVX512:        %[[SHIFTED:.*]] = math.fma %[[X]], %{{.*}}, %[[MAGIC]]
// CHECK-NEXT:    %[[K:.*]] = arith.subf %[[SHIFTED]], %[[MAGIC]]
// AVX512-NOT:    arith.select
// AVX512-COUNT-2: math.fma
// AVX512:        call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%{{.*}}, %[[BOUND]],
// AVX512-COUNT-6: math.fma
// AVX512:        %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[K]],
// PORTABLE-COUNT-8: math.fma
// PORTABLE:      arith.shli
// PORTABLE:      arith.mulf
// PORTABLE:      arith.shli
// PORTABLE:      %[[Y:.*]] = arith.mulf
// CHECK:         return %[[Y]]
func.func @exp_f32(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A vector of several registers is clamped and scaled register by register.

// CHECK-LABEL: func.func @exp_two_registers
// AVX512-COUNT-2: range.pd.512
// AVX512-COUNT-2: scalef.pd.512
// AVX512-NOT:    scalef
// PORTABLE-NOT:  scalef
func.func @exp_two_registers(%x: vector<16xf64>) -> vector<16xf64> {
  %y = math.exp %x : vector<16xf64>
  return %y : vector<16xf64>
}

// There is no instruction for scalars and for vectors that do not fill a register.

// CHECK-LABEL: func.func @exp_scalar
// CHECK-NOT:     call_intrinsic
// CHECK:         return
func.func @exp_scalar(%x: f32, %v: vector<5xf32>) -> (f32, vector<5xf32>) {
  %y = math.exp %x : f32
  %w = math.exp %v : vector<5xf32>
  return %y, %w : f32, vector<5xf32>
}

// Small floats are widened for the formula, and its result is rounded once.

// CHECK-LABEL: func.func @exp_bf16
// CHECK:         arith.bitcast %{{.*}} : vector<16xbf16> to vector<16xi16>
// CHECK-NOT:     bf16
// CHECK:         arith.trunci %{{.*}} : vector<16xi32> to vector<16xi16>
// CHECK-NEXT:    arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
func.func @exp_bf16(%x: vector<16xbf16>) -> vector<16xbf16> {
  %y = math.exp %x : vector<16xbf16>
  return %y : vector<16xbf16>
}
