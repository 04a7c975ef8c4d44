// RUN: blockdsl-opt %s --avoid-llvm-faults="features=+avx512f" --split-input-file | FileCheck %s
// RUN: blockdsl-opt %s --avoid-llvm-faults="features=+avx2" --split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: blockdsl-opt %s --avoid-llvm-faults="features=+sse2" --split-input-file | FileCheck %s --check-prefix=X86
// RUN: blockdsl-opt %s --avoid-llvm-faults="features=+neon" --split-input-file | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: llvm.func @buffers
// CHECK:         %[[A:.*]] = llvm.alloca
// CHECK-NEXT:    llvm.intr.lifetime.start %[[A]]
// CHECK-NEXT:    %[[B:.*]] = llvm.alloca
// CHECK-NEXT:    llvm.intr.lifetime.start %[[B]]
llvm.func @buffers() {
  %n = llvm.mlir.constant(32 : i64) : i64
  %a = llvm.alloca %n x i32 : (i64) -> !llvm.ptr
  %b = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
  llvm.return
}

// -----

// Stores of integers of fewer than 64 bits; the mark is removed.
// CHECK-LABEL: llvm.func @masks(
// CHECK-SAME:    %[[FIRST:[^:]*]]: i64, %{{.*}}) {
// CHECK-DAG:     %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK:         %[[HIDDEN:.*]] = llvm.icmp "slt" %[[FIRST]], %[[ZERO]] : i64
// CHECK:         %[[NONE:.*]] = llvm.mlir.poison : vector<8xi1>
// CHECK:         %[[LANE:.*]] = llvm.insertelement %[[HIDDEN]], %[[NONE]]
// CHECK:         %[[LANES:.*]] = llvm.shufflevector %[[LANE]], %[[NONE]] [0, 0, 0, 0, 0, 0, 0, 0]
// CHECK-NOT:     llvm.icmp
// CHECK:         %[[M:.*]] = llvm.or %{{.*}}, %[[LANES]]
// CHECK:         llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[M]] {alignment = 1 : i32} : vector<8xi8>
// CHECK:         %[[M:.*]] = llvm.or %{{.*}}, %[[LANES]]
// CHECK:         llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[M]] {alignment = 4 : i32} : vector<8xi32>
// CHECK-NOT:     llvm.or
// AVX2-LABEL:  llvm.func @masks(%{{[^:]*}}: i64, %
// AVX2-NOT:      llvm.or
// AVX2:          llvm.return
llvm.func @masks(%first: i64 {blockdsl.first_program}, %p: !llvm.ptr, %mask: vector<8xi1>, %a: vector<8xi8>,
                 %b: vector<8xi32>, %c: vector<8xi64>, %d: vector<8xf16>) {
  llvm.intr.masked.store %a, %p, %mask {alignment = 1 : i32} : vector<8xi8>, vector<8xi1> into !llvm.ptr
  llvm.intr.masked.store %b, %p, %mask {alignment = 4 : i32} : vector<8xi32>, vector<8xi1> into !llvm.ptr
  llvm.intr.masked.store %c, %p, %mask {alignment = 8 : i32} : vector<8xi64>, vector<8xi1> into !llvm.ptr
  llvm.intr.masked.store %d, %p, %mask {alignment = 2 : i32} : vector<8xf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}

// -----

// Loads of more than 256 bits with AVX or AVX2, unless the mask is a constant.
// CHECK-LABEL: llvm.func @loads(
// CHECK-NOT:     llvm.or
// CHECK:         llvm.return
// AVX2-LABEL:  llvm.func @loads(
// AVX2-SAME:     %[[FIRST:[^:]*]]: i64, %[[P:[^:]*]]: !llvm.ptr, %[[MASK:[^:]*]]: vector<16xi1>
// AVX2:          %[[HIDDEN:.*]] = llvm.icmp "slt" %[[FIRST]], %{{.*}} : i64
// AVX2:          %[[M:.*]] = llvm.or %[[MASK]], %{{.*}} : vector<16xi1>
// AVX2-NEXT:     llvm.intr.masked.load %[[P]], %[[M]], %{{.*}} -> vector<16xi32>
// AVX2-NOT:      llvm.or
// AVX2:          llvm.return
llvm.func @loads(%first: i64 {blockdsl.first_program}, %p: !llvm.ptr, %mask: vector<16xi1>, %a: vector<16xi32>,
                 %b: vector<16xi16>) -> (vector<16xi32>) {
  %some = llvm.mlir.constant(dense<[true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false]> : vector<16xi1>) : vector<16xi1>
  %x = llvm.intr.masked.load %p, %mask, %a {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xi32>) -> vector<16xi32>
  %y = llvm.intr.masked.load %p, %mask, %b {alignment = 2 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xi16>) -> vector<16xi16>
  %z = llvm.intr.masked.load %p, %some, %a {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xi32>) -> vector<16xi32>
  llvm.return %x : vector<16xi32>
}

// -----

// CHECK-LABEL: llvm.func @halves
// CHECK-SAME:    %[[A:[^:]*]]: vector<4xi32>, %[[B:[^:]*]]: vector<4xi32>
// CHECK:         %[[PRODUCT:.*]] = llvm.mul
// CHECK:         %[[PIECES:.*]] = llvm.bitcast %[[PRODUCT]] : vector<4xi64> to vector<8xi32>
// CHECK:         %[[UPPER:.*]] = llvm.shufflevector %[[PIECES]], %[[PIECES]] [1, 3, 5, 7]
// CHECK:         llvm.zext %[[UPPER]] : vector<4xi32> to vector<4xi64>
// CHECK:         llvm.shufflevector %{{.*}} [1, 3, 5, 7]
// CHECK:         llvm.sext %{{.*}} : vector<4xi32> to vector<4xi64>
// CHECK:         llvm.shufflevector %{{.*}} [1, 3, 5, 7]
// CHECK:         llvm.zext %{{.*}} : vector<4xi32> to vector<4xi64>
// CHECK-NOT:     llvm.lshr
// CHECK:         llvm.return
llvm.func @halves(%a: vector<4xi32>, %b: vector<4xi32>) -> !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)> {
  %half = llvm.mlir.constant(dense<32> : vector<4xi64>) : vector<4xi64>
  %power = llvm.mlir.constant(dense<4294967296> : vector<4xi64>) : vector<4xi64>
  %x = llvm.zext %a : vector<4xi32> to vector<4xi64>
  %y = llvm.zext %b : vector<4xi32> to vector<4xi64>
  %product = llvm.mul %x, %y : vector<4xi64>
  %0 = llvm.lshr %product, %half : vector<4xi64>
  %1 = llvm.ashr %product, %half : vector<4xi64>
  %2 = llvm.udiv %product, %power : vector<4xi64>
  %none = llvm.mlir.poison : !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)>
  %3 = llvm.insertvalue %0, %none[0] : !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)>
  %4 = llvm.insertvalue %1, %3[1] : !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)>
  %5 = llvm.insertvalue %2, %4[2] : !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)>
  llvm.return %5 : !llvm.struct<(vector<4xi64>, vector<4xi64>, vector<4xi64>)>
}

// -----

// Other shifts, signed products, and scalars are not affected.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT:     llvm.shufflevector
// CHECK:         llvm.return
llvm.func @others(%a: vector<4xi64>, %b: vector<4xi32>, %c: i64) -> !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)> {
  %half = llvm.mlir.constant(dense<32> : vector<4xi64>) : vector<4xi64>
  %less = llvm.mlir.constant(dense<31> : vector<4xi64>) : vector<4xi64>
  %scalar = llvm.mlir.constant(32 : i64) : i64
  %product = llvm.mul %a, %a : vector<4xi64>
  %0 = llvm.lshr %product, %less : vector<4xi64>
  %x = llvm.sext %b : vector<4xi32> to vector<4xi64>
  %signed = llvm.mul %x, %x : vector<4xi64>
  %1 = llvm.lshr %signed, %half : vector<4xi64>
  %square = llvm.mul %c, %c : i64
  %2 = llvm.lshr %square, %scalar : i64
  %none = llvm.mlir.poison : !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)>
  %3 = llvm.insertvalue %0, %none[0] : !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)>
  %4 = llvm.insertvalue %1, %3[1] : !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)>
  %5 = llvm.insertvalue %2, %4[2] : !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)>
  llvm.return %5 : !llvm.struct<(vector<4xi64>, vector<4xi64>, i64)>
}

// -----

// A sum by halves at 128 bits, but not if other lanes are added or the elements are narrower.
// CHECK-LABEL: llvm.func @sums
// CHECK-NOT:     llvm.inline_asm
// X86-LABEL:   llvm.func @sums
// X86-SAME:      %[[V:[^:]*]]: vector<8xi32>, %[[W:[^:]*]]: vector<8xi16>
// X86:           %[[SUM:.*]] = llvm.add
// X86-NEXT:      %[[HIDDEN:.*]] = llvm.inline_asm "", "=x,0" %[[SUM]] : (vector<4xi32>) -> vector<4xi32>
// X86-NEXT:      llvm.shufflevector %[[HIDDEN]], %{{.*}} [0, 1]
// X86-NEXT:      llvm.shufflevector %[[HIDDEN]], %{{.*}} [2, 3]
// X86-NOT:       llvm.inline_asm
// X86:           llvm.return
llvm.func @sums(%v: vector<8xi32>, %w: vector<8xi16>) -> !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)> {
  %0 = llvm.shufflevector %v, %v [0, 1, 2, 3] : vector<8xi32>
  %1 = llvm.shufflevector %v, %v [4, 5, 6, 7] : vector<8xi32>
  %2 = llvm.add %0, %1 : vector<4xi32>
  %3 = llvm.shufflevector %2, %2 [0, 1] : vector<4xi32>
  %4 = llvm.shufflevector %2, %2 [2, 3] : vector<4xi32>
  %5 = llvm.add %3, %4 : vector<2xi32>
  %6 = llvm.shufflevector %0, %0 [0, 2] : vector<4xi32>
  %7 = llvm.shufflevector %0, %0 [1, 3] : vector<4xi32>
  %8 = llvm.add %6, %7 : vector<2xi32>
  %9 = llvm.shufflevector %w, %w [0, 1, 2, 3] : vector<8xi16>
  %10 = llvm.shufflevector %w, %w [4, 5, 6, 7] : vector<8xi16>
  %11 = llvm.add %9, %10 : vector<4xi16>
  %none = llvm.mlir.poison : !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)>
  %12 = llvm.insertvalue %5, %none[0] : !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)>
  %13 = llvm.insertvalue %8, %12[1] : !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)>
  %14 = llvm.insertvalue %11, %13[2] : !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)>
  llvm.return %14 : !llvm.struct<(vector<2xi32>, vector<2xi32>, vector<4xi16>)>
}

// -----

// Vectorization of a loop with a narrow counter is disabled; its other annotations are kept.

// CHECK-DAG: #[[ALONE:.*]] = #llvm.loop_vectorize<disable = true>
// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[BOTH:.*]] = #llvm.loop_annotation<vectorize = #[[ALONE]], unroll = #[[UNROLL]]>
// CHECK-LABEL: llvm.func @counted_in_four_bits
// CHECK:         llvm.cond_br %{{.*}}, ^bb1(%{{.*}} : i64), ^bb2 {loop_annotation = #[[BOTH]]}
// CHECK-LABEL: llvm.func @counted_in_64_bits
// CHECK-NOT:     loop_annotation
// CHECK:         llvm.return
llvm.func @counted_in_four_bits(%p: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %low = llvm.mlir.constant(15 : i64) : i64
  llvm.br ^bb1(%zero : i64)
^bb1(%i: i64):
  %bin = llvm.and %i, %low : i64
  %at = llvm.getelementptr %p[%bin] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %at : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^bb1(%next : i64), ^bb2 {loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
^bb2:
  llvm.return
}
llvm.func @counted_in_64_bits(%p: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^bb1(%zero : i64)
^bb1(%i: i64):
  %double = llvm.mul %i, %n : i64
  %at = llvm.getelementptr %p[%double] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %at : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^bb1(%next : i64), ^bb2
^bb2:
  llvm.return
}

// -----

// An index that has no bit left after a scale of 8, also if only after unrolling, is ORed with opaque zeros on x86. A
// loop-carried value may be any of its incoming values.

// X86-LABEL: llvm.func @far_apart
// X86-SAME:      %[[P:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: vector<4xi64>, %[[N:[^:]*]]: i64
// X86:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// X86:         %[[HIDDEN:.*]] = llvm.inline_asm "", "=r,0" %[[ZERO]]
// X86:         %[[LANE:.*]] = llvm.insertelement %[[HIDDEN]], %{{.*}}
// X86:         %[[LANES:.*]] = llvm.shufflevector %[[LANE]], %{{.*}} [0, 0, 0, 0]
// X86:         %[[SHIFTED:.*]] = llvm.add
// X86:         %[[INDEX:.*]] = llvm.or %[[SHIFTED]], %[[LANES]] : vector<4xi64>
// X86:         llvm.getelementptr %[[P]][%[[INDEX]]]
// X86:         %[[OPEN:.*]] = llvm.shl %[[N]], %[[N]] : i64
// X86:         %[[INDEX:.*]] = llvm.or %[[OPEN]], %[[HIDDEN]] : i64
// X86:         llvm.getelementptr %[[P]][%[[INDEX]]]
// X86-LABEL: llvm.func @near
// X86-NOT:     llvm.inline_asm
// X86:         llvm.return
// X86-LABEL: llvm.func @through_memory
// X86:         %[[READ:.*]] = llvm.load
// X86:         %[[INDEX:.*]] = llvm.or %[[READ]], %{{.*}} : vector<4xi64>
// X86:         llvm.getelementptr %{{.*}}[%[[INDEX]]]
// X86-LABEL: llvm.func @through_memory_nearby
// X86-NOT:     llvm.or
// X86:         llvm.return
// X86-LABEL: llvm.func @round_a_loop
// X86:       ^bb1(%[[FAR:.*]]: i64, %[[NEAR:.*]]: i64):
// X86:         %[[INDEX:.*]] = llvm.or %[[FAR]], %{{.*}} : i64
// X86:         llvm.getelementptr %{{.*}}[%[[INDEX]]]
// X86:         llvm.getelementptr %{{.*}}[%[[NEAR]]]
// OTHER-LABEL: llvm.func @far_apart
// OTHER-NOT:   llvm.inline_asm
// OTHER:       llvm.return
llvm.func @far_apart(%p: !llvm.ptr, %x: vector<4xi64>, %n: i64) -> !llvm.struct<(vector<4x!llvm.ptr>, !llvm.ptr)> {
  %far = llvm.mlir.constant(dense<61> : vector<4xi64>) : vector<4xi64>
  %lanes = llvm.mlir.constant(dense<[0, 0x2000000000000000, 0x4000000000000000, 0x6000000000000000]> : vector<4xindex>) : vector<4xi64>
  %shifted = llvm.shl %x, %far : vector<4xi64>
  %0 = llvm.add %shifted, %lanes : vector<4xi64>
  %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i64
  %2 = llvm.shl %n, %n : i64
  %3 = llvm.getelementptr %p[%2] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %none = llvm.mlir.poison : !llvm.struct<(vector<4x!llvm.ptr>, !llvm.ptr)>
  %4 = llvm.insertvalue %1, %none[0] : !llvm.struct<(vector<4x!llvm.ptr>, !llvm.ptr)>
  %5 = llvm.insertvalue %3, %4[1] : !llvm.struct<(vector<4x!llvm.ptr>, !llvm.ptr)>
  llvm.return %5 : !llvm.struct<(vector<4x!llvm.ptr>, !llvm.ptr)>
}
llvm.func @near(%p: !llvm.ptr, %x: vector<4xi64>) -> !llvm.struct<(vector<4x!llvm.ptr>, vector<4x!llvm.ptr>)> {
  %zero = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
  %near = llvm.mlir.constant(dense<60> : vector<4xi64>) : vector<4xi64>
  %0 = llvm.shl %x, %near : vector<4xi64>
  %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i64
  %2 = llvm.getelementptr %p[%zero] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i64
  %none = llvm.mlir.poison : !llvm.struct<(vector<4x!llvm.ptr>, vector<4x!llvm.ptr>)>
  %3 = llvm.insertvalue %1, %none[0] : !llvm.struct<(vector<4x!llvm.ptr>, vector<4x!llvm.ptr>)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(vector<4x!llvm.ptr>, vector<4x!llvm.ptr>)>
  llvm.return %4 : !llvm.struct<(vector<4x!llvm.ptr>, vector<4x!llvm.ptr>)>
}
llvm.func @through_memory(%p: !llvm.ptr, %x: vector<4xi64>) -> vector<4x!llvm.ptr> {
  %far = llvm.mlir.constant(dense<62> : vector<4xi64>) : vector<4xi64>
  %0 = llvm.shl %x, %far : vector<4xi64>
  llvm.store %0, %p {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  %1 = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> vector<4xi64>
  %2 = llvm.getelementptr %p[%1] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i64
  llvm.return %2 : vector<4x!llvm.ptr>
}
llvm.func @through_memory_nearby(%p: !llvm.ptr, %x: vector<4xi64>) -> vector<4x!llvm.ptr> {
  %zeros = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
  %near = llvm.mlir.constant(dense<60> : vector<4xi64>) : vector<4xi64>
  %0 = llvm.shl %x, %near : vector<4xi64>
  llvm.store %0, %p {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  llvm.store %zeros, %p {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  %1 = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> vector<4xi64>
  %2 = llvm.getelementptr %p[%1] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i64
  llvm.return %2 : vector<4x!llvm.ptr>
}
llvm.func @round_a_loop(%p: !llvm.ptr, %n: i64, %more: i1) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %high = llvm.mlir.constant(62 : i64) : i64
  llvm.br ^bb1(%zero, %zero : i64, i64)
^bb1(%far: i64, %near: i64):
  %0 = llvm.getelementptr %p[%far] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %n, %0 : i64, !llvm.ptr
  %1 = llvm.getelementptr %p[%near] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %n, %1 : i64, !llvm.ptr
  %2 = llvm.shl %n, %high : i64
  %3 = llvm.add %far, %2 : i64
  %4 = llvm.add %near, %one : i64
  llvm.cond_br %more, ^bb1(%3, %4 : i64, i64), ^bb2
^bb2:
  llvm.return
}

// -----

// The narrowed value may have been converted in another function.
// CHECK-LABEL: llvm.func @beyond_half
// CHECK-SAME:      %[[X:[^:]*]]: vector<4xi32>, %[[N:[^:]*]]: i64, %[[M:[^:]*]]: i16
// CHECK-DAG:     %[[HIDDEN:.*]] = llvm.inline_asm "", "=r,0" %{{.*}} : (i32) -> i32
// CHECK-DAG:     %[[ZERO:.*]] = llvm.inline_asm "", "=r,0" %{{.*}} : (i64) -> i64
// CHECK:         %[[LANE:.*]] = llvm.insertelement %[[HIDDEN]], %{{.*}}
// CHECK:         %[[LANES:.*]] = llvm.shufflevector %[[LANE]], %{{.*}} [0, 0, 0, 0]
// CHECK:         %[[ANY:.*]] = llvm.or %[[X]], %[[LANES]] : vector<4xi32>
// CHECK:         llvm.sitofp %[[ANY]] : vector<4xi32> to vector<4xf32>
// CHECK:         %[[ANY:.*]] = llvm.or %[[N]], %[[ZERO]] : i64
// CHECK:         llvm.uitofp %[[ANY]] : i64 to f64
// Integers of 16 bits fit f16.
// CHECK:         llvm.sitofp %[[M]] : i16 to f32
// CHECK:         %[[MASKED:.*]] = llvm.and %[[N]]
// CHECK:         llvm.sitofp %[[MASKED]] : i64 to f32
// CHECK:         %[[WIDE:.*]] = llvm.zext %[[M]]
// CHECK:         llvm.sitofp %[[WIDE]] : i32 to f32
// CHECK:         %[[MASKED:.*]] = llvm.and %[[N]]
// CHECK:         %[[ANY:.*]] = llvm.or %[[MASKED]], %[[ZERO]] : i64
// CHECK:         llvm.sitofp %[[ANY]] : i64 to f32
llvm.func @beyond_half(%x: vector<4xi32>, %n: i64, %m: i16, %p: !llvm.ptr) {
  %largest = llvm.mlir.constant(0xFFFF : i64) : i64
  %larger = llvm.mlir.constant(0x1FFFF : i64) : i64
  %0 = llvm.sitofp %x : vector<4xi32> to vector<4xf32>
  llvm.store %0, %p : vector<4xf32>, !llvm.ptr
  %1 = llvm.uitofp %n : i64 to f64
  llvm.store %1, %p : f64, !llvm.ptr
  %2 = llvm.sitofp %m : i16 to f32
  llvm.store %2, %p : f32, !llvm.ptr
  %3 = llvm.and %n, %largest : i64
  %4 = llvm.sitofp %3 : i64 to f32
  llvm.store %4, %p : f32, !llvm.ptr
  %5 = llvm.zext %m : i16 to i32
  %6 = llvm.sitofp %5 : i32 to f32
  llvm.store %6, %p : f32, !llvm.ptr
  %7 = llvm.and %n, %larger : i64
  %8 = llvm.sitofp %7 : i64 to f32
  llvm.store %8, %p : f32, !llvm.ptr
  llvm.return
}

llvm.func @narrowed(%x: f32) -> f16 {
  %0 = llvm.fptrunc %x : f32 to f16
  llvm.return %0 : f16
}

// -----

// Nothing is narrowed.
// CHECK-LABEL: llvm.func @without_half
// CHECK-NOT:     llvm.inline_asm
// CHECK:         llvm.return
llvm.func @without_half(%n: i32, %p: !llvm.ptr) {
  %c20 = llvm.mlir.constant(20 : i32) : i32
  %0 = llvm.shl %n, %c20 : i32
  %1 = llvm.sitofp %0 : i32 to f32
  llvm.store %1, %p : f32, !llvm.ptr
  llvm.return
}

// -----

// For NaN the first select gives NaN and the second one the bound: the second one's bound is hidden, also in the
// comparison, and so is a bound of f16, whose comparison may be of the extended value.
// CHECK-LABEL: llvm.func @bounded_twice
// CHECK-SAME:      %[[X:[^:]*]]: vector<4xf32>, %[[H:[^:]*]]: f16
// CHECK-DAG:     %[[ZERO:.*]] = llvm.inline_asm "", "=r,0" %{{.*}} : (i32) -> i32
// CHECK-DAG:     %[[SHORT:.*]] = llvm.inline_asm "", "=r,0" %{{.*}} : (i16) -> i16
// CHECK:         %[[KEPT:.*]] = llvm.select %{{.*}}, %[[BOUND:[^,]*]], %[[X]] : vector<4xi1>, vector<4xf32>
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[BOUND]] : vector<4xf32> to vector<4xi32>
// CHECK:         %[[ANY:.*]] = llvm.or %[[BITS]], %{{.*}} : vector<4xi32>
// CHECK:         %[[HIDDEN:.*]] = llvm.bitcast %[[ANY]] : vector<4xi32> to vector<4xf32>
// CHECK:         %[[ABOVE:.*]] = llvm.fcmp "ogt" %[[KEPT]], %[[HIDDEN]] : vector<4xf32>
// CHECK:         llvm.select %[[ABOVE]], %[[KEPT]], %[[HIDDEN]]
// CHECK:         llvm.or %{{.*}}, %[[ZERO]] : i32
// CHECK:         %[[ABOVE:.*]] = llvm.fcmp "ogt" %{{.*}} : f32
// CHECK:         llvm.or %{{.*}}, %[[SHORT]] : i16
// CHECK:         llvm.select %[[ABOVE]], %[[H]], %{{.*}} : i1, f16
llvm.func @bounded_twice(%x: vector<4xf32>, %h: f16, %p: !llvm.ptr) {
  %zero = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  %0 = llvm.fcmp "olt" %x, %zero : vector<4xf32>
  %1 = llvm.select %0, %zero, %x : vector<4xi1>, vector<4xf32>
  %2 = llvm.fcmp "ogt" %1, %zero : vector<4xf32>
  %3 = llvm.select %2, %1, %zero : vector<4xi1>, vector<4xf32>
  llvm.store %3, %p : vector<4xf32>, !llvm.ptr
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %short = llvm.mlir.constant(0.0 : f16) : f16
  %4 = llvm.fpext %h : f16 to f32
  %5 = llvm.fcmp "ogt" %4, %none : f32
  %6 = llvm.select %5, %h, %short : i1, f16
  llvm.store %6, %p : f16, !llvm.ptr
  llvm.return
}

// -----

// Selects with the same result for NaN, in the other direction, or with a bound that may be NaN are unchanged.
// CHECK-LABEL: llvm.func @bounded_alike
// CHECK-NOT:     llvm.inline_asm
// CHECK:         llvm.return
llvm.func @bounded_alike(%x: f32, %y: f32, %p: !llvm.ptr) {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %nan = llvm.mlir.constant(0x7FC00000 : f32) : f32
  // The maximum; for NaN the bound.
  %0 = llvm.fcmp "ogt" %x, %zero : f32
  %1 = llvm.select %0, %x, %zero : i1, f32
  %2 = llvm.fcmp "ult" %1, %zero : f32
  %3 = llvm.select %2, %zero, %1 : i1, f32
  llvm.store %3, %p : f32, !llvm.ptr
  // The minimum; for NaN NaN.
  %4 = llvm.fcmp "ogt" %x, %zero : f32
  %5 = llvm.select %4, %zero, %x : i1, f32
  llvm.store %5, %p : f32, !llvm.ptr
  %6 = llvm.fcmp "olt" %x, %y : f32
  %7 = llvm.select %6, %y, %x : i1, f32
  llvm.store %7, %p : f32, !llvm.ptr
  %8 = llvm.fcmp "olt" %x, %nan : f32
  %9 = llvm.select %8, %nan, %x : i1, f32
  llvm.store %9, %p : f32, !llvm.ptr
  llvm.return
}
