// RUN: blockdsl-opt %s --annotate-functions | FileCheck %s

// CHECK-LABEL: llvm.func @declared(i32)
// CHECK-NOT:   attributes
llvm.func @declared(%x: i32)

// CHECK-LABEL: llvm.func @no_loop(
// CHECK-SAME:    attributes {no_unwind, passthrough = ["noinline", "blockdsl-vectorized"]}
llvm.func @no_loop(%x: i32) attributes {passthrough = ["noinline"]} {
  llvm.return
}

// CHECK-LABEL: llvm.func @loop_of_scalars(
// CHECK-SAME:    attributes {no_unwind} {
llvm.func @loop_of_scalars(%p: !llvm.ptr, %n: i64, %x: i32) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %inside = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %inside, ^body, ^end
^body:
  %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %x, %at : i32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^end:
  llvm.return
}

// An outer loop may contain vectors.
// CHECK-LABEL: llvm.func @loop_in_a_loop(
// CHECK-SAME:    attributes {no_unwind} {
llvm.func @loop_in_a_loop(%p: !llvm.ptr, %n: i64, %x: i32, %v: vector<16xi32>) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^outer(%zero : i64)
^outer(%j: i64):
  llvm.store %v, %p : vector<16xi32>, !llvm.ptr
  llvm.br ^inner(%zero : i64)
^inner(%i: i64):
  %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %x, %at : i32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %inside = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %inside, ^inner(%next : i64), ^latch
^latch:
  %after = llvm.add %j, %one : i64
  %again = llvm.icmp "slt" %after, %n : i64
  llvm.cond_br %again, ^outer(%after : i64), ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @loop_of_vectors(
// CHECK-SAME:    passthrough = ["blockdsl-vectorized"]
llvm.func @loop_of_vectors(%p: !llvm.ptr, %n: i64, %x: vector<16xi32>) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %lanes = llvm.mlir.constant(16 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %x, %at : vector<16xi32>, !llvm.ptr
  %next = llvm.add %i, %lanes : i64
  %inside = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %inside, ^loop(%next : i64), ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @loop_that_calls(
// CHECK-SAME:    passthrough = ["blockdsl-vectorized"]
llvm.func @loop_that_calls(%x: i32, %again: i1) {
  llvm.br ^loop
^loop:
  llvm.call @declared(%x) : (i32) -> ()
  llvm.cond_br %again, ^loop, ^end
^end:
  llvm.return
}

#disabled = #llvm.loop_annotation<vectorize = #llvm.loop_vectorize<disable = true>>
#unrolled = #llvm.loop_annotation<unroll = #llvm.loop_unroll<runtimeDisable = true>>

// CHECK-LABEL: llvm.func @loop_kept_as_it_is(
// CHECK-SAME:    passthrough = ["blockdsl-vectorized"]
llvm.func @loop_kept_as_it_is(%p: !llvm.ptr, %x: i32, %again: i1) {
  llvm.br ^loop
^loop:
  llvm.store %x, %p : i32, !llvm.ptr
  llvm.cond_br %again, ^loop, ^end {loop_annotation = #disabled}
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @other_annotations(
// CHECK-SAME:    attributes {no_unwind} {
llvm.func @other_annotations(%p: !llvm.ptr, %x: i32, %again: i1) {
  llvm.br ^loop
^loop:
  llvm.store %x, %p : i32, !llvm.ptr
  llvm.cond_br %again, ^loop, ^end {loop_annotation = #unrolled}
^end:
  llvm.return
}
