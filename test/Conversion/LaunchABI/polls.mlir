// RUN: blockdsl-opt %s --convert-launch-abi -split-input-file | FileCheck %s

// A loop without bounds polls in each iteration, and so does a source loop over blocks, but no other loop.
// CHECK-LABEL: func.func private @loops.programs
// CHECK-SAME:    %[[CONTEXT:[a-z0-9]*]]: !llvm.ptr {llvm.noalias}, %{{[a-z0-9]*}}: !llvm.ptr {blockdsl.scratch})
// CHECK:       scf.while
// CHECK-NOT:     blockdsl_poll
// CHECK:       } do {
// CHECK:         func.call @blockdsl_poll(%[[CONTEXT]])
// CHECK:       scf.for
// CHECK-NEXT:    func.call @blockdsl_poll(%[[CONTEXT]])
// CHECK-NOT:   blockdsl_poll
// CHECK:       } {blockdsl.source_loop}
func.func @loops(%p: !llvm.ptr, %n: i32) attributes {blockdsl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while (%i = %zero) : (i32) -> i32 {
    %goes = arith.cmpi slt, %i, %n : i32
    scf.condition(%goes) %i : i32
  } do {
  ^bb0(%i: i32):
    llvm.store %i, %p : i32, !llvm.ptr
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  scf.for %i = %zero to %n step %one : i32 {
    scf.for %j = %zero to %n step %one : i32 {
      llvm.store %j, %p : i32, !llvm.ptr
    }
  } {blockdsl.source_loop}
  return
}

// -----

// CHECK-LABEL: func.func private @plain.programs
// CHECK-NOT:   llvm.noalias
// CHECK-NOT:   blockdsl_poll
// CHECK:       return
func.func @plain(%p: !llvm.ptr, %n: i32) attributes {blockdsl.kernel} {
  llvm.store %n, %p : i32, !llvm.ptr
  return
}

// -----

// A loop that reads memory that another program may write calls another function in each iteration; a loop that retries
// an atomic update has no poll.
// CHECK-LABEL: func.func private @waits.programs
// CHECK:       scf.while
// CHECK:         llvm.cmpxchg
// CHECK:       } do {
// CHECK-NEXT:    func.call @blockdsl_poll_waiting
// CHECK:       scf.while
// CHECK:         llvm.load volatile
// CHECK:       } do {
// CHECK-NEXT:    func.call @blockdsl_poll_waiting
// CHECK:       scf.while
// CHECK:         llvm.cmpxchg
// CHECK-NOT:     func.call
// CHECK:       return
func.func @waits(%p: !llvm.ptr, %zero: i32, %one: i32, %go: i1) attributes {blockdsl.kernel} {
  scf.while : () -> () {
    %pair = llvm.cmpxchg %p, %zero, %one acquire acquire : !llvm.ptr, i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    %value = llvm.load volatile %p : !llvm.ptr -> i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    %pair = llvm.cmpxchg %p, %zero, %one acquire acquire : !llvm.ptr, i32
    scf.condition(%go)
  } do {
    scf.yield
  } attributes {blockdsl.retries}
  return
}
