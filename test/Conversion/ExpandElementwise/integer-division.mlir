// RUN: blockdsl-opt %s -expand-elementwise=features=+avx512f,+avx512dq | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: blockdsl-opt %s -expand-elementwise | FileCheck %s --check-prefixes=CHECK,PORTABLE

// A divisor that is known not to be zero needs no check.

// CHECK-LABEL: func.func @by_constant
// CHECK-NOT:     arith.cmpi
// CHECK:         arith.divsi
// CHECK-NEXT:    arith.remui
// CHECK-NEXT:    return
func.func @by_constant(%x: vector<16xi32>) -> (vector<16xi32>, vector<16xi32>) {
  %c7 = arith.constant dense<7> : vector<16xi32>
  %q = arith.divsi %x, %c7 : vector<16xi32>
  %r = arith.remui %x, %c7 : vector<16xi32>
  return %q, %r : vector<16xi32>, vector<16xi32>
}

// CHECK-LABEL: func.func @by_zero_and_minus_one
// CHECK-SAME:    %[[X:.*]]: i32
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NOT:     arith.divsi
// CHECK:         %[[NEGATED:.*]] = arith.subi %[[ZERO]], %[[X]]
// CHECK:         return %[[ZERO]], %[[NEGATED]], %[[ZERO]]
func.func @by_zero_and_minus_one(%x: i32) -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %minus = arith.constant -1 : i32
  %a = arith.divui %x, %zero : i32
  %b = arith.divsi %x, %minus : i32
  %c = arith.remsi %x, %minus : i32
  return %a, %b, %c : i32, i32, i32
}

// CHECK-LABEL: func.func @scalar
// CHECK-SAME:    %[[X:.*]]: i64, %[[Y:.*]]: i64
// CHECK-DAG:     %[[IS_ZERO:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK-DAG:     %[[IS_LEAST:.*]] = arith.cmpi eq, %[[X]], %{{.*}}
// CHECK-DAG:     %[[IS_MINUS_ONE:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK:         %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Y]]
// CHECK:         %[[Q:.*]] = arith.divsi %[[X]], %[[SAFE]]
// CHECK:         %[[RESULT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Q]]
// CHECK:         return %[[RESULT]]
func.func @scalar(%x: i64, %y: i64) -> i64 {
  %q = arith.divsi %x, %y : i64
  return %q : i64
}

// 32 bits are divided exactly in f64, 16 in f32.

// CHECK-LABEL: func.func @vectors
// CHECK:         arith.divf %{{.*}} : vector<16xf64>
// CHECK-NEXT:    arith.fptoui %{{.*}} : vector<16xf64> to vector<16xi32>
// CHECK:         arith.divf %{{.*}} : vector<16xf32>
// CHECK-NEXT:    arith.fptosi %{{.*}} : vector<16xf32> to vector<16xi16>
func.func @vectors(%x: vector<16xi32>, %y: vector<16xi32>, %a: vector<16xi16>, %b: vector<16xi16>) -> (vector<16xi32>, vector<16xi16>) {
  %r = arith.remui %x, %y : vector<16xi32>
  %q = arith.divsi %a, %b : vector<16xi16>
  return %r, %q : vector<16xi32>, vector<16xi16>
}

// 64 bits in f64 as long as they fit, with the conversions of AVX-512.

// CHECK-LABEL: func.func @long_vectors
// AVX512:        arith.divf %{{.*}} : vector<8xf64>
// AVX512:        vector.reduction <or>
// AVX512:        scf.if
// AVX512-NEXT:     arith.divsi %{{.*}} : vector<8xi64>
// PORTABLE-NOT:  divf
// PORTABLE:      arith.divsi %{{.*}} : vector<8xi64>
func.func @long_vectors(%x: vector<8xi64>, %y: vector<8xi64>) -> vector<8xi64> {
  %q = arith.divsi %x, %y : vector<8xi64>
  return %q : vector<8xi64>
}

// LLVM multiplies by the inverse of a constant, for which vectors of 64 bits have no instruction.

// CHECK-LABEL: func.func @long_by_constant
// AVX512:        arith.divf %{{.*}} : vector<8xf64>
// AVX512:        scf.if
// PORTABLE-NOT:  arith.divf
// CHECK:         arith.divui %{{.*}} : vector<8xi64>
// AVX512:        scf.yield
// CHECK-NOT:     arith.divf
// CHECK:         arith.divui %{{.*}} : vector<8xi64>
func.func @long_by_constant(%x: vector<8xi64>) -> (vector<8xi64>, vector<8xi64>) {
  %c7 = arith.constant dense<7> : vector<8xi64>
  %c8 = arith.constant dense<8> : vector<8xi64>
  %q = arith.divui %x, %c7 : vector<8xi64>
  %r = arith.divui %x, %c8 : vector<8xi64>
  return %q, %r : vector<8xi64>, vector<8xi64>
}
