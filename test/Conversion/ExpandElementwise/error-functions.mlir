// AVX-512 looks up a coefficient for each lane with one permutation. Other CPUs use one polynomial for all lanes.
// RUN: blockdsl-opt %s -expand-elementwise=features=+avx512f,+avx512dq -split-input-file \
// RUN:   | FileCheck %s --check-prefix=AVX512
// RUN: blockdsl-opt %s -expand-elementwise=features=+avx2,+fma -split-input-file \
// RUN:   | FileCheck %s --check-prefix=PORTABLE

// AVX512-LABEL:   func @one_register
// AVX512-DAG:     %[[TABLE:.*]] = arith.constant dense<[0.{{0*}}e+00, 2.804630e-01, {{.*}}]> : vector<16xf32>
// AVX512:         %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
// AVX512-COUNT-5: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%{{.*}}, %[[BITS]])
// AVX512:         llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%[[TABLE]], %[[BITS]])
// AVX512-NOT:     permvar
// AVX512:         return
// PORTABLE-LABEL: func @one_register
// PORTABLE-NOT:   permvar
func.func @one_register(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.erf %x : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// AVX512-LABEL:    func @two_registers
// AVX512-COUNT-12: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512-NOT:      permvar
func.func @two_registers(%x: vector<32xf32>) -> vector<32xf32> {
  %r = math.erf %x : vector<32xf32>
  return %r : vector<32xf32>
}

// -----

// AVX512-LABEL:   func @less_than_a_register
// AVX512:         vector.shuffle %{{.*}} [0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] : vector<4xi32>, vector<4xi32>
// AVX512-COUNT-6: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512-NOT:     permvar
func.func @less_than_a_register(%x: vector<4xf32>) -> vector<4xf32> {
  %r = math.erf %x : vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// AVX512-LABEL:   func @a_scalar
// AVX512-COUNT-6: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512-NOT:     permvar
func.func @a_scalar(%x: f32) -> f32 {
  %r = math.erf %x : f32
  return %r : f32
}

// -----

// Sixteen numbers of f64 do not fit a register.
// AVX512-LABEL: func @doubles
// AVX512-NOT:   permvar
func.func @doubles(%x: vector<8xf64>) -> vector<8xf64> {
  %r = math.erf %x : vector<8xf64>
  return %r : vector<8xf64>
}
