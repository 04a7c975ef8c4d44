// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512vnni,+avx512bf16"' | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=vector-bits=256 features="+avx2,+avxvnni,+avxvnniint8"' | FileCheck %s --check-prefixes=CHECK,SIGNED
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=vector-bits=256 features="+avx2,+avxvnni"' | FileCheck %s --check-prefixes=CHECK,HALF
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=vector-bits=128 features="+neon,+dotprod,+bf16"' | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f"' | FileCheck %s --check-prefixes=CHECK,PLAIN

// Four bytes per word. The right side's rows are interleaved. The instruction of AVX-512 reads the left side's bytes as
// unsigned, so their sign bit is flipped, and 128 times the column sums is subtracted at the start.
// CHECK-LABEL: func.func @bytes
// WIDE-COUNT-16: vector.shuffle
// WIDE:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// WIDE:          arith.xori {{.*}} : vector<16xi32>
// WIDE:          arith.subi {{.*}} : vector<16xi32>
// WIDE:          scf.for
// WIDE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>)
// SIGNED-NOT:    arith.xori
// SIGNED:        llvm.call_intrinsic "llvm.x86.avx2.vpdpbssd.256"({{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>)
// SIGNED-NOT:    arith.subi {{.*}} : vector
// HALF:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// ARM-NOT:       arith.xori
// ARM:           llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// PLAIN-NOT:     llvm.call_intrinsic
// PLAIN:         arith.muli {{.*}} : vector<16xi32>
// CHECK:         return
tt.func @bytes(%a: !tt.ptr<i8>, %b: !tt.ptr<i8>, %c: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %bs = tt.splat %b : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %cs = tt.splat %c : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<i8>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<i8>>
  %z = tt.dot %x, %y, %zero : tensor<64x64xi8> * tensor<64x64xi8> -> tensor<64x64xi32>
  tt.store %cp, %z : tensor<64x64x!tt.ptr<i32>>
  tt.return
}

// Two bf16 per word. The right side is contiguous along the common dimension, so its words are transposed in registers:
// 16 vectors, with four shuffles each.
// CHECK-LABEL: func.func @transposed_pairs
// WIDE-NOT:      vector.shuffle {{.*}}xi16>
// WIDE-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// WIDE-NOT:      arith.extf
// WIDE:          scf.for
// WIDE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>)
// SIGNED:        math.fma
// HALF-NOT:      llvm.call_intrinsic
// HALF:          math.fma
// ARM:           llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"
// PLAIN-NOT:     llvm.call_intrinsic
// PLAIN:         arith.extf
// PLAIN:         math.fma
// CHECK:         return
tt.func @transposed_pairs(%a: !tt.ptr<bf16>, %b: !tt.ptr<bf16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c1 = tt.broadcast %c0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %r2, %c1 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %bs = tt.splat %b : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<bf16>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<bf16>>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x64xbf16> -> tensor<64x64xbf16>
  %z = tt.dot %x, %t, %zero : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
  tt.store %cp, %z : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Fewer columns use a shorter form of the instruction; fewer factors than a word holds use none.
// CHECK-LABEL: func.func @narrow
// WIDE:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// CHECK:         return
tt.func @narrow(%a: !tt.ptr<i8>, %c: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %pitch = arith.constant dense<8> : tensor<8x1xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<8x1xi32>
  %r2 = tt.broadcast %r1 : tensor<8x1xi32> -> tensor<8x8xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %c1 = tt.broadcast %c0 : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %r2, %c1 : tensor<8x8xi32>
  %as = tt.splat %a : !tt.ptr<i8> -> tensor<8x8x!tt.ptr<i8>>
  %cs = tt.splat %c : !tt.ptr<i32> -> tensor<8x8x!tt.ptr<i32>>
  %ap = tt.addptr %as, %at : tensor<8x8x!tt.ptr<i8>>, tensor<8x8xi32>
  %cp = tt.addptr %cs, %at : tensor<8x8x!tt.ptr<i32>>, tensor<8x8xi32>
  %x = tt.load %ap : tensor<8x8x!tt.ptr<i8>>
  %z = tt.dot %x, %x, %zero : tensor<8x8xi8> * tensor<8x8xi8> -> tensor<8x8xi32>
  tt.store %cp, %z : tensor<8x8x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: func.func @two_factors
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.muli {{.*}} : vector
// CHECK:         return
tt.func @two_factors(%x: !tt.ptr<i8>, %c: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %four = arith.constant dense<4> : tensor<8x2xi8>
  %pitch = arith.constant dense<8> : tensor<8x1xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r0 = tt.expand_dims %range {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %r1 = arith.muli %r0, %pitch : tensor<8x1xi32>
  %r2 = tt.broadcast %r1 : tensor<8x1xi32> -> tensor<8x8xi32>
  %c0 = tt.expand_dims %range {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %c1 = tt.broadcast %c0 : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %r2, %c1 : tensor<8x8xi32>
  %cs = tt.splat %c : !tt.ptr<i32> -> tensor<8x8x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %at : tensor<8x8x!tt.ptr<i32>>, tensor<8x8xi32>
  %bs = tt.splat %x : !tt.ptr<i8> -> tensor<1x8x!tt.ptr<i8>>
  %bp = tt.addptr %bs, %c0 : tensor<1x8x!tt.ptr<i8>>, tensor<1x8xi32>
  %row = tt.load %bp : tensor<1x8x!tt.ptr<i8>>
  %b = tt.broadcast %row : tensor<1x8xi8> -> tensor<2x8xi8>
  %z = tt.dot %four, %b, %zero : tensor<8x2xi8> * tensor<2x8xi8> -> tensor<8x8xi32>
  tt.store %cp, %z : tensor<8x8x!tt.ptr<i32>>
  tt.return
}
