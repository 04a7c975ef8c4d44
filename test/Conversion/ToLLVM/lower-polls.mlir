// RUN: blockdsl-opt %s --lower-polls --verify-no-heap -split-input-file | FileCheck %s

// The word's address is the first member of the context. The word is loaded in each iteration, and the runtime is only
// called if it is not zero.
// CHECK-LABEL: llvm.func @while
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[N:.*]]: i32
// CHECK:       ^bb1(%[[I:.*]]: i32):
// CHECK:         llvm.cond_br %{{.*}}, ^[[TURN:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK:       ^[[TURN]]:
// CHECK:         %[[WORD:.*]] = llvm.load %[[CONTEXT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[ASKED:.*]] = llvm.load volatile %[[WORD]]
// CHECK:         %[[IS_ASKED:.*]] = llvm.icmp "ne" %[[ASKED]], %[[ZERO:.*]] : i32
// CHECK:         llvm.cond_br %[[IS_ASKED]] weights([1, 1048576]), ^[[ASK:bb[0-9]+]], ^[[GO_ON:bb[0-9]+]]
// CHECK:       ^[[ASK]]:
// CHECK:         %[[ANSWER:.*]] = llvm.call @blockdsl_should_stop(%[[CONTEXT]])
// CHECK:         %[[STOPS:.*]] = llvm.icmp "ne" %[[ANSWER]], %{{.*}} : i32
// CHECK:         llvm.cond_br %[[STOPS]] weights([1, 1048576]), ^[[EXIT:bb[0-9]+]], ^[[GO_ON]]
// CHECK:       ^[[GO_ON]]:
// CHECK:         llvm.br ^bb1
// CHECK:       ^[[AFTER]]:
// CHECK:         llvm.call @after
// CHECK:       ^[[EXIT]]:
// CHECK-NEXT:    llvm.return
// CHECK-NOT:   @blockdsl_poll
llvm.func @blockdsl_poll(!llvm.ptr) attributes {sym_visibility = "private"}
llvm.func @after()
llvm.func @while(%context: !llvm.ptr, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  %goes = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %goes, ^turn, ^after
^turn:
  llvm.call @blockdsl_poll(%context) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next : i32)
^after:
  llvm.call @after() : () -> ()
  llvm.return
}

// -----

// All polls of a function share one exit.
// CHECK-LABEL: llvm.func @two
// CHECK-COUNT-2: llvm.call @blockdsl_should_stop
// CHECK-COUNT-2: llvm.return
// CHECK-NOT:   llvm.return
// CHECK-LABEL: llvm.func @none
// CHECK-NOT:   llvm.cond_br
// CHECK:       llvm.return
llvm.func @blockdsl_poll(!llvm.ptr) attributes {sym_visibility = "private"}
llvm.func @two(%context: !llvm.ptr) {
  llvm.call @blockdsl_poll(%context) : (!llvm.ptr) -> ()
  llvm.call @blockdsl_poll(%context) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @none(%context: !llvm.ptr) {
  llvm.return
}

// -----

// A loop that waits calls the runtime in each iteration.
// CHECK-LABEL: llvm.func @waits
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr
// CHECK-NOT:   llvm.load
// CHECK:       %[[ANSWER:.*]] = llvm.call @blockdsl_wait(%[[CONTEXT]])
// CHECK:       %[[STOPS:.*]] = llvm.icmp "ne" %[[ANSWER]]
// CHECK:       llvm.cond_br %[[STOPS]] weights([1, 1048576]), ^[[EXIT:bb[0-9]+]], ^[[GO_ON:bb[0-9]+]]
// CHECK-NOT:   @blockdsl_poll_waiting
llvm.func @blockdsl_poll_waiting(!llvm.ptr) attributes {sym_visibility = "private"}
llvm.func @waits(%context: !llvm.ptr) {
  llvm.call @blockdsl_poll_waiting(%context) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

// A kernel without loops declares nothing.
// CHECK-LABEL: llvm.func @plain
// CHECK-NOT:   blockdsl_
llvm.func @plain() {
  llvm.return
}
