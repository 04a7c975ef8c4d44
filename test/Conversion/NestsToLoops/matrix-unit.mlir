// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512bf16,+avx512vnni,+amx-tile,+amx-bf16,+amx-int8"' -split-input-file | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512bf16,+avx512vnni,+amx-tile,+amx-int8"' -split-input-file | FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: blockdsl-opt %s --blockdsl-to-linalg '--blockdsl-linalg-to-loops=features="+avx512f,+avx512bf16,+avx512vnni,+amx-bf16,+amx-int8"' -split-input-file | FileCheck %s --check-prefixes=CHECK,NONE

// Two by two tiles of the result stay in registers during the loop over the common dimension in tiles of 16 words. Both
// sides are packed before the loops: the left side in order, the right side with interleaved rows. The accumulator of a
// loop is loaded from its buffer and stored to it.
// CHECK-LABEL: func.func @accumulates_in_place
// BOTH:          scf.for
// BOTH:            vector.shuffle
// BOTH-NOT:        vector<16xf32>
// BOTH:            scf.for %{{.*}} = %c0 to %c64 step %c32
// BOTH:              scf.for %{{.*}} = %c0 to %c64 step %c32
// BOTH-COUNT-4:        llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16
// BOTH:                scf.for %{{.*}} = %c0 to %c32 step %c16 iter_args({{.*}}) -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// BOTH-COUNT-4:          llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16
// BOTH-COUNT-4:          llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%c16_i16, %c64_i16, %c64_i16
// BOTH-COUNT-4:        llvm.call_intrinsic "llvm.x86.tilestored64.internal"
// BYTES-NOT:     x86_amx
// BYTES:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// NONE-NOT:      x86_amx
// NONE:          llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         return
tt.func @accumulates_in_place(%a: !tt.ptr<bf16>, %b: !tt.ptr<bf16>, %c: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
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
  %sum = scf.for %i = %first to %n step %one iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %step = tt.splat %i : i32 -> tensor<64x64xi32>
    %xp = tt.addptr %ap, %step : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
    %yp = tt.addptr %bp, %step : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
    %x = tt.load %xp : tensor<64x64x!tt.ptr<bf16>>
    %y = tt.load %yp : tensor<64x64x!tt.ptr<bf16>>
    %z = tt.dot %x, %y, %acc : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Signed times signed bytes need no correction. A sum that starts from zero starts from zeroed tiles. Eight words of
// either side are padded with eight zeros, so that all tiles of all matmuls have the same extent.
// CHECK-LABEL: func.func @bytes
// BOTH-NOT:      arith.xori
// BOTH:          %[[LEFT:.*]] = llvm.getelementptr %[[A:.*]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// BOTH-NEXT:     llvm.store %{{.*}}, %[[LEFT]] {{.*}} : vector<8xi32>
// BOTH:          scf.for %[[ROW:.*]] = %c0 to %c16 step %c1 {
// BOTH-NEXT:       %[[START:.*]] = arith.muli %[[ROW]], %c16
// BOTH-NEXT:       %[[PAST:.*]] = arith.addi %[[START]], %c8
// BOTH-NEXT:       %[[INDEX:.*]] = arith.index_cast %[[PAST]]
// BOTH-NEXT:       %[[AT:.*]] = llvm.getelementptr %[[A]][%[[INDEX]]]
// BOTH-NEXT:       llvm.store %[[ZEROS:.*]], %[[AT]] {{.*}} : vector<8xi32>
// BOTH-COUNT-4:    llvm.store {{.*}} : vector<4xi32>
// BOTH:          scf.for %[[WORD:.*]] = %c0 to %c8 step %c1 {
// BOTH-NEXT:       %[[PAST:.*]] = arith.addi %[[WORD]], %c8
// BOTH-NEXT:       %[[START:.*]] = arith.muli %[[PAST]], %c16
// BOTH-NEXT:       %[[INDEX:.*]] = arith.index_cast %[[START]]
// BOTH-NEXT:       %[[AT:.*]] = llvm.getelementptr %[[B:.*]][%[[INDEX]]]
// BOTH-NEXT:       llvm.store %{{.*}}, %[[AT]] {{.*}} : vector<16xi32>
// BOTH-COUNT-1:  llvm.call_intrinsic "llvm.x86.tilezero.internal"
// BOTH:          llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %[[A]]
// BOTH:          llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %[[B]]
// BOTH:          llvm.call_intrinsic "llvm.x86.tdpbssd.internal"(%c16_i16, %c64_i16, %c64_i16
// BYTES:         llvm.call_intrinsic "llvm.x86.tdpbssd.internal"
// NONE-NOT:      x86_amx
// NONE:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:         return
tt.func @bytes(%a: !tt.ptr<i8>, %b: !tt.ptr<i8>, %c: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c0 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %p32 = arith.constant dense<32> : tensor<16x1xi32>
  %p16 = arith.constant dense<16> : tensor<32x1xi32>
  %q16 = arith.constant dense<16> : tensor<16x1xi32>
  %a0 = arith.muli %r0, %p32 : tensor<16x1xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1xi32> -> tensor<16x32xi32>
  %a2 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %a3 = arith.addi %a1, %a2 : tensor<16x32xi32>
  %b0 = arith.muli %k1, %p16 : tensor<32x1xi32>
  %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x16xi32>
  %b2 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<32x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<32x16xi32>
  %d0 = arith.muli %r0, %q16 : tensor<16x1xi32>
  %d1 = tt.broadcast %d0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %d2 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %d3 = arith.addi %d1, %d2 : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>>
  %bs = tt.splat %b : !tt.ptr<i8> -> tensor<32x16x!tt.ptr<i8>>
  %cs = tt.splat %c : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %ap = tt.addptr %as, %a3 : tensor<16x32x!tt.ptr<i8>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %b3 : tensor<32x16x!tt.ptr<i8>>, tensor<32x16xi32>
  %cp = tt.addptr %cs, %d3 : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  %x = tt.load %ap : tensor<16x32x!tt.ptr<i8>>
  %y = tt.load %bp : tensor<32x16x!tt.ptr<i8>>
  %z = tt.dot %x, %y, %zero : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  tt.store %cp, %z : tensor<16x16x!tt.ptr<i32>>
  tt.return
}

// -----

// A loop adds up products of eight words a side. Two iterations fill the 16 words of a tile: the first one of each two
// pads its part with zeros, which the second one replaces.
// CHECK-LABEL: func.func @two_iterations_a_tile
// BOTH:          %[[RIGHT:.*]] = llvm.alloca %c8192_i64 x i32
// BOTH:          scf.for %[[ITERATION:.*]] = %c0 to %[[COUNT:.*]] step %c1
// BOTH:            %[[PART:.*]] = arith.divui %[[ITERATION]], %c2
// BOTH:            %[[HALF:.*]] = arith.remui %[[ITERATION]], %c2
// BOTH:            %[[WORD:.*]] = arith.muli %[[HALF]], %c8
// BOTH:            scf.for %[[STEP:.*]] = %c0 to %c8 step %c1 {
// BOTH:              arith.addi %[[STEP]], %[[WORD]]
// BOTH:            %[[IS_FIRST:.*]] = arith.cmpi eq, %[[WORD]], %c0
// BOTH-NEXT:       scf.if %[[IS_FIRST]] {
// BOTH:              llvm.store %{{.*}} : vector<16xi32>
// BOTH:          %[[PARTS:.*]] = arith.ceildivui %[[COUNT]], %c2
// BOTH:          scf.for %{{.*}} = %c0 to %[[PARTS]] step %c1 iter_args({{.*}}) -> (!llvm.x86_amx)
// BOTH:            llvm.call_intrinsic "llvm.x86.tdpbssd.internal"(%c16_i16, %c64_i16, %c64_i16
// CHECK:         return
tt.func @two_iterations_a_tile(%a: !tt.ptr<i8>, %b: !tt.ptr<i8>, %c: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = arith.constant dense<4096> : tensor<16x1xi32>
  %q = arith.constant dense<16> : tensor<32x1xi32>
  %q16 = arith.constant dense<16> : tensor<16x1xi32>
  %depth = arith.constant 32 : i32
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r0 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c0 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %r0, %p : tensor<16x1xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1xi32> -> tensor<16x32xi32>
  %b2 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<32x16xi32>
  %as = tt.splat %a : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>>
  %bs = tt.splat %b : !tt.ptr<i8> -> tensor<32x16x!tt.ptr<i8>>
  %sum = scf.for %i = %first to %n step %one iter_args(%acc = %zero) -> (tensor<16x16xi32>) : i32 {
    %from = arith.muli %i, %depth : i32
    %start = tt.splat %from : i32 -> tensor<32xi32>
    %at = arith.addi %k, %start : tensor<32xi32>
    %k0 = tt.expand_dims %at {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %k1 = tt.expand_dims %at {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %a2 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<16x32xi32>
    %a3 = arith.addi %a1, %a2 : tensor<16x32xi32>
    %b0 = arith.muli %k1, %q : tensor<32x1xi32>
    %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x16xi32>
    %b3 = arith.addi %b1, %b2 : tensor<32x16xi32>
    %ap = tt.addptr %as, %a3 : tensor<16x32x!tt.ptr<i8>>, tensor<16x32xi32>
    %bp = tt.addptr %bs, %b3 : tensor<32x16x!tt.ptr<i8>>, tensor<32x16xi32>
    %x = tt.load %ap : tensor<16x32x!tt.ptr<i8>>
    %y = tt.load %bp : tensor<32x16x!tt.ptr<i8>>
    %z = tt.dot %x, %y, %acc : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
    scf.yield %z : tensor<16x16xi32>
  }
  %d0 = arith.muli %r0, %q16 : tensor<16x1xi32>
  %d1 = tt.broadcast %d0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %d2 = tt.broadcast %c0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %d3 = arith.addi %d1, %d2 : tensor<16x16xi32>
  %cs = tt.splat %c : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %d3 : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  tt.store %cp, %sum : tensor<16x16x!tt.ptr<i32>>
  tt.return
}

// -----

// Eight rows would leave half of the tiles empty: the dot instruction is used instead.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:     x86_amx
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         return
tt.func @few_rows(%a: !tt.ptr<bf16>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %a : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>>
  %ap = tt.addptr %as, %row : tensor<1x64x!tt.ptr<bf16>>, tensor<1x64xi32>
  %v = tt.load %ap : tensor<1x64x!tt.ptr<bf16>>
  %x = tt.broadcast %v : tensor<1x64xbf16> -> tensor<8x64xbf16>
  %y = tt.broadcast %v : tensor<1x64xbf16> -> tensor<64x64xbf16>
  %z = tt.dot %x, %y, %zero : tensor<8x64xbf16> * tensor<64x64xbf16> -> tensor<8x64xf32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %row : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
  %cb = tt.broadcast %cp : tensor<1x64x!tt.ptr<f32>> -> tensor<8x64x!tt.ptr<f32>>
  tt.store %cb, %z : tensor<8x64x!tt.ptr<f32>>
  tt.return
}
