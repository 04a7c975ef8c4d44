// RUN: blockdsl-opt %s -expand-elementwise | FileCheck %s

// Arithmetic on small floats is done in f32 and rounded once for each op.

// CHECK-LABEL: func.func @adds_f16
// CHECK-COUNT-2: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         arith.addf %{{.*}} : vector<16xf32>
// CHECK-NEXT:    arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
func.func @adds_f16(%x: vector<16xf16>, %y: vector<16xf16>) -> vector<16xf16> {
  %s = arith.addf %x, %y : vector<16xf16>
  return %s : vector<16xf16>
}

// An fma is rounded once: in f64 the product is exact, and the sum is rounded to odd.

// CHECK-LABEL: func.func @fused
// CHECK:         %[[XY:.*]] = arith.mulf %{{.*}} : vector<16xf64>
// CHECK-NEXT:    %[[NEAR:.*]] = arith.addf %[[XY]], %{{.*}} : vector<16xf64>
// CHECK-NEXT:    %[[BACK:.*]] = arith.subf %[[NEAR]], %[[XY]]
// CHECK:         %[[MISSING:.*]] = arith.addf
// CHECK-NEXT:    %[[BITS:.*]] = arith.bitcast %[[NEAR]] : vector<16xf64> to vector<16xi64>
// CHECK:         %[[MOVED:.*]] = arith.addi %[[BITS]]
// CHECK-NEXT:    %[[ODD:.*]] = arith.select %{{.*}}, %[[MOVED]], %[[BITS]]
// CHECK-NEXT:    arith.bitcast %[[ODD]] : vector<16xi64> to vector<16xf64>
func.func @fused(%x: vector<16xbf16>, %y: vector<16xbf16>, %z: vector<16xbf16>) -> vector<16xbf16> {
  %r = math.fma %x, %y, %z : vector<16xbf16>
  return %r : vector<16xbf16>
}

// Comparisons and ops on signs need no rounding.

// CHECK-LABEL: func.func @no_rounding
// CHECK:         %[[C:.*]] = arith.cmpf olt, %{{.*}} : vector<16xf32>
// CHECK:         arith.xori %{{.*}} : vector<16xi16>
// CHECK-NEXT:    %[[N:.*]] = arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
// CHECK-NEXT:    return %[[C]], %[[N]]
func.func @no_rounding(%x: vector<16xbf16>, %y: vector<16xbf16>) -> (vector<16xi1>, vector<16xbf16>) {
  %c = arith.cmpf olt, %x, %y : vector<16xbf16>
  %n = arith.negf %x : vector<16xbf16>
  return %c, %n : vector<16xi1>, vector<16xbf16>
}

// f64 to f16 is rounded to odd in between, because it would be rounded twice otherwise.

// CHECK-LABEL: func.func @f64_to_f16
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.cmpf une
// CHECK:         arith.ori
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @f64_to_f16(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// bf16 is rounded by integer arithmetic: the instruction of AVX-512 flushes denormals.

// CHECK-LABEL: func.func @f32_to_bf16
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
func.func @f32_to_bf16(%x: vector<16xf32>) -> vector<16xbf16> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %y : vector<16xbf16>
}

// So are 8-bit floats; bf16 is extended to f32 in the same way.

// CHECK-LABEL: func.func @float8
// CHECK:         arith.bitcast %{{.*}} : vector<16xf8E4M3FN> to vector<16xi8>
// CHECK:         arith.bitcast %{{.*}} : vector<16xi8> to vector<16xf8E5M2>
// CHECK-NOT:     tt.fp_to_fp
func.func @float8(%x: vector<16xf8E4M3FN>) -> vector<16xf8E5M2> {
  %y = tt.fp_to_fp %x, rounding = rtne : vector<16xf8E4M3FN> -> vector<16xf8E5M2>
  return %y : vector<16xf8E5M2>
}

// CHECK-LABEL: func.func @bf16_to_f32
// CHECK:         %[[BITS:.*]] = arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK:         arith.shli %[[BITS]], %{{.*}} : vector<16xi32>
// CHECK-NOT:     arith.extf
func.func @bf16_to_f32(%x: vector<16xbf16>) -> vector<16xf32> {
  %y = arith.extf %x : vector<16xbf16> to vector<16xf32>
  return %y : vector<16xf32>
}
