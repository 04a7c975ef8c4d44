// RUN: blockdsl-opt %s --blockdsl-to-llvm="features=+avx512f,+avx512dq" | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=x86_64-unknown-linux-gnu -mcpu=znver4 | FileCheck %s --check-prefix=AVX512
// RUN: blockdsl-opt %s --blockdsl-to-llvm="vector-bits=256 features=+avx,+avx2,+fma" | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell | FileCheck %s --check-prefix=AVX2
// RUN: blockdsl-opt %s --blockdsl-to-llvm="vector-bits=128 features=+neon" | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n1 | FileCheck %s --check-prefix=NEON

// One input, three targets: no calls, no spills of lanes, and the instructions of hand-written code.

// AVX512-LABEL: exponential.programs:
// AVX512:         vrangeps
// AVX512:         vfmadd
// AVX512-NOT:     call
// AVX512:         vscalefps
// AVX512-LABEL: exponential:
// AVX512:         callq{{.*}} exponential.programs

// AVX2-LABEL:   exponential.programs:
// AVX2:           vmaxps
// AVX2:           vminps
// AVX2:           vfmadd
// AVX2-NOT:       call
// AVX2:           vpslld $23
// AVX2-LABEL:   exponential:

// NEON-LABEL:   exponential.programs:
// NEON:           fmla v{{.*}}.4s
// NEON-NOT:       bl
// NEON:           shl v{{.*}}.4s, v{{.*}}.4s, #23
// NEON-LABEL:   exponential:
func.func @exponential(%p: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %n: i64) attributes {blockdsl.kernel} {
  %zero = arith.constant 0 : i64
  %step = arith.constant 16 : i64
  scf.for %i = %zero to %n step %step : i64 {
    %from = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %to = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %x = llvm.load %from {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %y = math.exp %x : vector<16xf32>
    llvm.store %y, %to {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  }
  return
}

// bf16 is loaded, computed in f32, rounded without vcvtneps2bf16, and stored.

// AVX512-LABEL: halves.programs:
// AVX512-NOT:     vcvtneps2bf16
// AVX512-NOT:     call
// AVX512:         vpmovdw
// AVX512-LABEL: halves:

// AVX2-LABEL:   halves.programs:
// AVX2-NOT:       call
// AVX2:           vpsrld $16
// AVX2-LABEL:   halves:

// NEON-LABEL:   halves.programs:
// NEON-NOT:       bl
// NEON:           fmul v{{.*}}.4s
// NEON-LABEL:   halves:
func.func @halves(%p: !llvm.ptr {llvm.noalias}) attributes {blockdsl.kernel} {
  %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> vector<16xbf16>
  %y = arith.mulf %x, %x : vector<16xbf16>
  llvm.store %y, %p {alignment = 2 : i64} : vector<16xbf16>, !llvm.ptr
  return
}

// Integers of 32 bits are divided in f64.

// AVX512-LABEL: quotients.programs:
// AVX512-NOT:     idiv
// AVX512:         vdivpd
// AVX512-LABEL: quotients:

// AVX2-LABEL:   quotients.programs:
// AVX2-NOT:       idiv
// AVX2:           vdivpd
// AVX2-LABEL:   quotients:

// NEON-LABEL:   quotients.programs:
// NEON-NOT:       sdiv
// NEON:           fdiv v{{.*}}.2d
// NEON-LABEL:   quotients:
func.func @quotients(%p: !llvm.ptr {llvm.noalias}, %q: !llvm.ptr {llvm.noalias}) attributes {blockdsl.kernel} {
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xi32>
  %y = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xi32>
  %z = arith.divsi %x, %y : vector<16xi32>
  llvm.store %z, %p {alignment = 4 : i64} : vector<16xi32>, !llvm.ptr
  return
}

// NaN propagates in one instruction with a constant bound.

// AVX512-LABEL: bounds.programs:
// AVX512:         vmaxps
// AVX512-NOT:     vcmp
// AVX512:         vminps
// AVX512-LABEL: bounds:

// AVX2-LABEL:   bounds.programs:
// AVX2:           vmaxps
// AVX2:           vminps
// AVX2-LABEL:   bounds:

// NEON-LABEL:   bounds.programs:
// NEON:           fmax v{{.*}}.4s
// NEON:           fmin v{{.*}}.4s
// NEON-LABEL:   bounds:
func.func @bounds(%p: !llvm.ptr {llvm.noalias}) attributes {blockdsl.kernel} {
  %low = arith.constant dense<-1.0> : vector<16xf32>
  %six = arith.constant dense<6.0> : vector<16xf32>
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %y = tt.clampf %x, %low, %six, propagateNan = all : vector<16xf32>
  llvm.store %y, %p {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  return
}

// A maximum that ignores NaN is one comparison and one masked instruction.

// AVX512-LABEL: maximum.programs:
// AVX512:         vcmpordps {{.*}}%[[MASK:k[0-9]]]
// AVX512:         vmaxps {{.*}}{%[[MASK]]}
// AVX512-NOT:     vmovaps {{.*}}{%k
// AVX512-LABEL: maximum:

// NEON-LABEL:   maximum.programs:
// NEON:           fmaxnm v{{.*}}.4s
// NEON-LABEL:   maximum:
func.func @maximum(%p: !llvm.ptr {llvm.noalias}, %q: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}) attributes {blockdsl.kernel} {
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %y = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %z = arith.maxnumf %x, %y : vector<16xf32>
  llvm.store %z, %out {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  return
}
