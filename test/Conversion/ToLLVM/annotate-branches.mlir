// RUN: blockdsl-opt %s --convert-scf-to-cf --convert-to-llvm --annotate-branches | FileCheck %s

#unroll = #llvm.loop_unroll<runtimeDisable = true>
#annotation = #llvm.loop_annotation<unroll = #unroll>

// CHECK: #[[ANNOTATION:.*]] = #llvm.loop_annotation<unroll = #loop_unroll>

// CHECK-LABEL: llvm.func @what_a_loop_says
// CHECK:         llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}} : i64){{$}}
// CHECK:       ^[[HEAD]](
// CHECK:         llvm.br ^[[HEAD]](%{{.*}} : i64) {loop_annotation = #[[ANNOTATION]]}
func.func @what_a_loop_says(%low: index, %high: index, %p: !llvm.ptr) {
  %step = arith.constant 64 : index
  scf.for %i = %low to %high step %step {
    %x = arith.index_cast %i : index to i32
    llvm.store %x, %p : i32, !llvm.ptr
  } {llvm.loop_annotation = #annotation}
  return
}

// CHECK-LABEL: llvm.func @under_a_condition
// CHECK:       ^[[BODY:bb[0-9]+]]:
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY]], ^{{.*}} {loop_annotation = #[[ANNOTATION]]}
llvm.func @under_a_condition(%p: !llvm.ptr) {
  llvm.br ^body
^body:
  %again = llvm.load %p : !llvm.ptr -> i1
  llvm.cond_br %again, ^body, ^end {llvm.loop_annotation = #annotation}
^end:
  llvm.return
}
