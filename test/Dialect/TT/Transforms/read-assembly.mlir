// RUN: blockdsl-opt %s -split-input-file -tt-read-assembly -canonicalize | FileCheck %s

// CHECK-LABEL: tt.func @number_beside_a_register
tt.func @number_beside_a_register(%x: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[X:.*]]: i32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[X]], %[[FIVE]] : i32
  // CHECK-NEXT: tt.map_elementwise.return %[[SUM]] : i32
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, 5;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// -----

// Four bytes share a register, the first in its low bits.
// CHECK-LABEL: tt.func @bytes_share_a_register
tt.func @bytes_share_a_register(%x: tensor<64xi8>) -> tensor<64xi8> {
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 4 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i8):
  // CHECK-NEXT: %[[LOW:.*]] = arith.extui %[[A]] : i8 to i32
  // CHECK: arith.shli %{{.*}}, %c8_i32 : i32
  // CHECK: arith.xori %{{.*}}, %c-1_i32 : i32
  // CHECK: arith.shrui %{{.*}}, %c24_i32 : i32
  // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i8, i8, i8, i8
  %0 = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x
      : tensor<64xi8> -> tensor<64xi8>
  tt.return %0 : tensor<64xi8>
}

// -----

// Two results, a declaration, comments, braces, and a conversion that packs: its first source is the upper half.
// CHECK-LABEL: tt.func @conversion_that_packs
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
tt.func @conversion_that_packs(%x: f32, %y: f32) -> (i32, i32) {
  // CHECK: %[[LOW:.*]] = tt.fp_to_fp %[[Y]], rounding = rtne : f32 -> f16
  // CHECK: %[[HIGH:.*]] = tt.fp_to_fp %[[X]], rounding = rtne : f32 -> f16
  // CHECK: %[[LOWBITS:.*]] = arith.bitcast %[[LOW]] : f16 to i16
  // CHECK: %[[FIRST:.*]] = arith.extui %[[LOWBITS]] : i16 to i32
  // CHECK: %[[HIGHBITS:.*]] = arith.bitcast %[[HIGH]] : f16 to i16
  // CHECK: %[[WIDE:.*]] = arith.extui %[[HIGHBITS]] : i16 to i32
  // CHECK: %[[UP:.*]] = arith.shli %[[WIDE]], %c16_i32 : i32
  // CHECK: %[[BOTH:.*]] = arith.ori %[[FIRST]], %[[UP]] : i32
  // CHECK: tt.return %[[BOTH]], %[[BOTH]] : i32, i32
  %0:2 = tt.elementwise_inline_asm "{ .reg .b32 t<2>; // t0 and t1\0A cvt.rn.f16x2.f32 t1, $2, $3; /* twice */ mov.b32 $0, t1; mov.b32 $1, t1; }" {constraints = "=r,=r,f,f", packed_element = 1 : i32, pure = true} %x, %y
      : f32, f32 -> i32, i32
  tt.return %0#0, %0#1 : i32, i32
}

// -----

// A sum with an explicit rounding is not contracted; a sum without one may become part of an fma.
// CHECK-LABEL: tt.func @roundings
tt.func @roundings(%x: f32, %y: f32) -> (f32, f32) {
  // CHECK: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rn"} : (f32, f32) -> f32
  %0 = tt.elementwise_inline_asm "add.rn.ftz.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> f32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %1 = tt.elementwise_inline_asm "add.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> f32
  tt.return %0, %1 : f32, f32
}

// -----

// Special registers that do not depend on the thread.
// CHECK-LABEL: tt.func @special_registers
tt.func @special_registers(%x: tensor<64xi32>) -> (i32, i32, i32, tensor<64xi32>, i32) {
  // CHECK: %[[LOW:.*]] = tt.extern_elementwise  {libname = "", libpath = "", pure = false, symbol = "blockdsl_nanoseconds"} : () -> i64
  // CHECK: arith.trunci %[[LOW]] : i64 to i32
  %0 = tt.elementwise_inline_asm "mov.u32 $0, %clock;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: %[[TIME:.*]] = tt.extern_elementwise  {libname = "", libpath = "", pure = false, symbol = "blockdsl_nanoseconds"} : () -> i64
  // CHECK: arith.shrui %[[TIME]], %{{.*}} : i64
  %1 = tt.elementwise_inline_asm "mov.u32 $0, %globaltimer_hi;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: symbol = "blockdsl_processor_count"
  %2 = tt.elementwise_inline_asm "mov.u32 $0, %nsmid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  // CHECK: "tt.map_elementwise"
  // CHECK: tt.get_program_id y : i32
  %3 = tt.elementwise_inline_asm "add.u32 $0, $1, %ctaid.y;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  // CHECK: tt.get_num_programs z : i32
  %4 = tt.elementwise_inline_asm "mov.u32 $0, %nctaid.z;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return %0, %1, %2, %3, %4 : i32, i32, i32, tensor<64xi32>, i32
}

// -----

// The assembly may read the clock; a scalar is every element of a group; an input may share a result's register.
// CHECK-LABEL: tt.func @scalars
tt.func @scalars(%x: i8) -> (i64, i8) {
  // CHECK: tt.extern_elementwise  {libname = "", libpath = "", pure = false, symbol = "blockdsl_nanoseconds"} : () -> i64
  %0 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  %1 = tt.elementwise_inline_asm "add.u32 $0, $0, 1;" {constraints = "=r,0", packed_element = 2 : i32, pure = true} %x : i8 -> i8
  tt.return %0, %1 : i64, i8
}

// -----

// Groups may span several rows of a short last dimension.
// CHECK-LABEL: tt.func @groups_of_several_rows
tt.func @groups_of_several_rows(%x: tensor<8x1xi16>) -> tensor<8x1xi16> {
  // CHECK: %[[FLAT:.*]] = tt.reshape %{{.*}} : tensor<8x1xi16> -> tensor<8xi16>
  // CHECK: "tt.map_elementwise"(%[[FLAT]]) <{pack = 2 : i32}>
  // CHECK: tt.reshape %{{.*}} : tensor<8xi16> -> tensor<8x1xi16>
  %0 = tt.elementwise_inline_asm "prmt.b32 $0, $1, $1, 0x1032;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x
      : tensor<8x1xi16> -> tensor<8x1xi16>
  tt.return %0 : tensor<8x1xi16>
}

// -----

// A predicate has one bit; a register keeps its value where the predicate of an instruction is false.
// CHECK-LABEL: tt.func @predicates
// CHECK-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: i32)
tt.func @predicates(%x: i32, %y: i32) -> i32 {
  // CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[X]], %[[Y]] : i32
  // CHECK: %[[NOT:.*]] = arith.cmpi sge, %[[X]], %[[Y]] : i32
  // CHECK: %[[SMALLER:.*]] = arith.select %[[LESS]], %[[X]], %[[Y]] : i32
  // CHECK: %[[MORE:.*]] = arith.addi %[[SMALLER]], %c1_i32 : i32
  // CHECK: %[[KEPT:.*]] = arith.select %[[NOT]], %[[MORE]], %[[SMALLER]] : i32
  // CHECK: tt.return %[[KEPT]] : i32
  %0 = tt.elementwise_inline_asm "{ .reg .pred p, q; setp.lt.s32 p|q, $1, $2; selp.b32 $0, $1, $2, p; @q add.s32 $0, $0, 1; }" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y : i32, i32 -> i32
  tt.return %0 : i32
}

// -----

// Comparisons that end in `u` are true for NaN, and the others are false.
// CHECK-LABEL: tt.func @floats_under_conditions
tt.func @floats_under_conditions(%x: f32, %y: f32) -> f32 {
  // CHECK: %[[FIRST:.*]] = arith.cmpf one, %{{.*}}, %{{.*}} : f32
  // CHECK: %[[NOT:.*]] = arith.xori %[[FIRST]], %true : i1
  // CHECK: %[[SECOND:.*]] = arith.cmpf uge, %{{.*}}, %{{.*}} : f32
  // CHECK: %[[BOTH:.*]] = arith.andi %[[SECOND]], %[[NOT]] : i1
  // CHECK: arith.select %[[BOTH]], %{{.*}}, %{{.*}} : i32
  %0 = tt.elementwise_inline_asm "{ .reg .pred p; setp.ne.f32 p, $1, $2; setp.geu.and.f32 p, $1, $2, !p; @p mov.b32 $0, $1; }" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %x, %y : f32, f32 -> f32
  tt.return %0 : f32
}

// -----

// CHECK-LABEL: tt.func @within_bounds
tt.func @within_bounds(%x: f32, %n: i32) -> (f32, i32) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: %[[IS:.*]] = arith.cmpf ogt, %[[SUM]], %[[ZERO]] : f32
  // CHECK: %[[ABOVE:.*]] = arith.select %[[IS]], %[[SUM]], %[[ZERO]] : f32
  // CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[ABOVE]], %[[ONE]] : f32
  // CHECK: arith.select %[[BELOW]], %[[ABOVE]], %[[ONE]] : f32
  %0 = tt.elementwise_inline_asm "add.sat.f32 $0, $1, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : f32 -> f32
  // CHECK: %[[WIDE:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
  // CHECK: %[[LOW:.*]] = arith.maxsi %[[WIDE]], %c-2147483648_i64 : i64
  // CHECK: %[[HIGH:.*]] = arith.minsi %[[LOW]], %c2147483647_i64 : i64
  // CHECK: arith.trunci %[[HIGH]] : i64 to i32
  %1 = tt.elementwise_inline_asm "add.sat.s32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32
  tt.return %0, %1 : f32, i32
}

// -----

// CHECK-LABEL: tt.func @fields
tt.func @fields(%x: i32) -> (i32, i32) {
  // CHECK: %[[MOVED:.*]] = arith.shrsi %{{.*}}, %c4_i32 : i32
  // CHECK: %[[UP:.*]] = arith.shli %[[MOVED]], %c24_i32 : i32
  // CHECK: arith.shrsi %[[UP]], %c24_i32 : i32
  %0 = tt.elementwise_inline_asm "bfe.s32 $0, $1, 4, 8;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  // CHECK: %[[PLACED:.*]] = arith.shli %{{.*}}, %c4_i32 : i32
  // CHECK: %[[FIELD:.*]] = arith.andi %[[PLACED]], %c4080_i32 : i32
  // CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c-4081_i32 : i32
  // CHECK: arith.ori %[[FIELD]], %[[REST]] : i32
  %1 = tt.elementwise_inline_asm "bfi.b32 $0, $1, $1, 4, 8;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: tt.func @no_dimension
tt.func @no_dimension(%x: tensor<i32>) -> tensor<i32> {
  // CHECK: %[[ROW:.*]] = tt.reshape %{{.*}} : tensor<i32> -> tensor<1xi32>
  // CHECK: %[[MAPPED:.*]] = "tt.map_elementwise"(%[[ROW]]) <{pack = 1 : i32}>
  // CHECK: tt.reshape %[[MAPPED]] : tensor<1xi32> -> tensor<i32>
  %0 = tt.elementwise_inline_asm "add.u32 $0, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<i32> -> tensor<i32>
  tt.return %0 : tensor<i32>
}

// -----

// A program is one thread.
// CHECK-LABEL: tt.func @barrier
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: tt.return %[[ZERO]]
tt.func @barrier() -> i32 {
  %0 = tt.elementwise_inline_asm "bar.sync 0; griddepcontrol.wait; fence.sc.cta;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.return %0 : i32
}

// -----

// CHECK-LABEL: tt.func @fences_between_programs
tt.func @fences_between_programs(%p: !tt.ptr<i32>, %x: tensor<64xi32>) -> tensor<64xi32> {
  %one = arith.constant 1 : i32
  // CHECK: tt.store
  tt.store %p, %one : !tt.ptr<i32>
  // CHECK-NEXT: llvm.fence acq_rel
  %0 = tt.elementwise_inline_asm "fence.acq_rel.gpu;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK-NEXT: tt.store
  tt.store %p, %one : !tt.ptr<i32>
  // The same value for all elements.
  // CHECK-NEXT: llvm.fence seq_cst
  // CHECK-NEXT: "tt.map_elementwise"
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: tt.map_elementwise.return
  %1 = tt.elementwise_inline_asm "membar.gl; fence.release.cluster; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return %1 : tensor<64xi32>
}

// -----

// CHECK-LABEL: tt.func @immediates
tt.func @immediates(%x: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK: ^bb0(%[[X:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[X]], %c-7_i32 : i32
  // CHECK-NEXT: %[[MASKED:.*]] = arith.andi %[[SUM]], %c255_i32 : i32
  // CHECK-NEXT: tt.map_elementwise.return %[[MASKED]] : i32
  %seven = arith.constant -7 : i32
  %splat = tt.splat %seven : i32 -> tensor<64xi32>
  %mask = arith.constant dense<255> : tensor<1xi32>
  %all = tt.broadcast %mask : tensor<1xi32> -> tensor<64xi32>
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, $2; and.b32 $0, $0, $3;" {constraints = "=r,r,n,i", packed_element = 1 : i32, pure = true} %x, %splat, %all
      : tensor<64xi32>, tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// -----

// CHECK-LABEL: tt.func @quotients_of_integers
tt.func @quotients_of_integers(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK: ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32):
  // CHECK-NEXT: %[[A:.*]] = arith.divsi %[[X]], %[[Y]] : i32
  // CHECK-NEXT: %[[B:.*]] = arith.remui %[[A]], %[[Y]] : i32
  // CHECK-NEXT: tt.map_elementwise.return %[[B]] : i32
  %0 = tt.elementwise_inline_asm "div.s32 $0, $1, $2; rem.u32 $0, $0, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x, %y
      : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}
