// RUN: blockdsl-opt %s -split-input-file "--split-kernels=longest=7 piece-length=4" | FileCheck %s
// RUN: blockdsl-opt %s -split-input-file "--split-kernels=longest=100 piece-length=4" | FileCheck %s --check-prefix=WHOLE

// Long code is cut where the fewest values are live. Values that cross a cut are passed in scratch memory after the
// part in use: %1, but not %0, which has no later use; booleans and indices as whole bytes.
// CHECK: module attributes {blockdsl.scratch_bytes = 192 : i64}
// CHECK-LABEL: func.func private @straight.programs.0.0
// CHECK-SAME:    (%[[X:.*]]: vector<16xf32>, %[[S:.*]]: !llvm.ptr) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline", ["tune-cpu", "generic"]]}
// CHECK:         arith.addf %[[X]], %[[X]]
// CHECK:         arith.mulf
// CHECK:         %[[FLAG:.*]] = arith.cmpf
// CHECK:         %[[WIDE:.*]] = arith.extui %[[FLAG]] : vector<16xi1> to vector<16xi8>
// CHECK:         llvm.store %[[WIDE]]
// CHECK:         return
// CHECK-LABEL: func.func private @straight.programs.0.1
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
// CHECK:         arith.trunci
// CHECK:         arith.select
// CHECK-LABEL: func.func private @straight.programs(
// CHECK:         call @straight.programs.0.0
// CHECK-NEXT:    call @straight.programs.0.1
// CHECK-NEXT:    return

// A function that is not too long only loses the mark.
// WHOLE-LABEL: func.func private @straight.programs(
// WHOLE-SAME:    %{{[a-z0-9]*}}: !llvm.ptr)
// WHOLE-NOT:     call
// WHOLE:         return
module attributes {blockdsl.scratch_bytes = 100 : i64} {
  func.func private @straight.programs(%x: vector<16xf32>, %p: !llvm.ptr, %s: !llvm.ptr {blockdsl.scratch}) {
    %0 = arith.addf %x, %x : vector<16xf32>
    %1 = arith.mulf %0, %0 : vector<16xf32>
    %2 = arith.addf %0, %1 : vector<16xf32>
    %3 = arith.cmpf olt, %1, %2 : vector<16xf32>
    %4 = arith.select %3, %x, %x : vector<16xi1>, vector<16xf32>
    %5 = arith.mulf %4, %4 : vector<16xf32>
    %6 = arith.mulf %5, %4 : vector<16xf32>
    llvm.store %6, %p : vector<16xf32>, !llvm.ptr
    return
  }
}

// -----

// Yielded values are loaded before the end of a loop body. A piece that may return early is followed by another poll.
// Constants are cloned. A piece with a loop is scheduled for the target CPU.
// CHECK-LABEL: func.func private @turns.programs.1.0
// CHECK:         arith.constant 3 : i32
// CHECK-LABEL: func.func private @turns.programs.1.1
// CHECK:         call @blockdsl_poll
// CHECK-LABEL: func.func private @turns.programs.0.3
// CHECK-SAME:    passthrough = ["noinline"]}
// CHECK:         scf.for
// CHECK:           call @turns.programs.1.0
// CHECK:           call @turns.programs.1.1
// CHECK-NEXT:      call @blockdsl_poll
// CHECK-NEXT:      call @turns.programs.1.2
// CHECK:           %[[NEXT:.*]] = llvm.load
// CHECK:           scf.yield %[[NEXT]] : i32
// CHECK-LABEL: func.func private @turns.programs(
// CHECK:         call @turns.programs.0.3
// CHECK-NEXT:    call @blockdsl_poll
// CHECK-NEXT:    call @turns.programs.0.4
func.func private @blockdsl_poll(!llvm.ptr)
func.func private @turns.programs(%n: index, %p: !llvm.ptr, %context: !llvm.ptr, %s: !llvm.ptr {blockdsl.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c3) -> i32 {
    %0 = arith.addi %x, %c3 : i32
    %1 = arith.muli %0, %0 : i32
    %2 = arith.addi %0, %1 : i32
    llvm.store %2, %p : i32, !llvm.ptr
    scf.for %j = %c0 to %n step %c1 {
      func.call @blockdsl_poll(%context) : (!llvm.ptr) -> ()
      llvm.store %2, %p : i32, !llvm.ptr
    }
    %3 = arith.muli %2, %c3 : i32
    scf.yield %3 : i32
  }
  llvm.store %last, %p : i32, !llvm.ptr
  return
}

// -----

// The opaque number that `avoid-llvm-faults` uses is an argument of every piece.
// CHECK-LABEL: func.func private @numbered.programs.0.0(
// CHECK-SAME:    %{{.*}}: i64 {blockdsl.first_program}, %{{.*}}: f32, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-LABEL: func.func private @numbered.programs.0.1(
// CHECK-SAME:    %{{.*}}: i64 {blockdsl.first_program},
// CHECK-LABEL: func.func private @numbered.programs(
// CHECK:         call @numbered.programs.0.0(%arg0,
// CHECK-NEXT:    call @numbered.programs.0.1(%arg0,
func.func private @numbered.programs(%first: i64 {blockdsl.first_program}, %x: f32, %p: !llvm.ptr, %s: !llvm.ptr {blockdsl.scratch}) {
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  return
}

// -----

// An address at a constant offset from an earlier one is not passed in memory: each piece computes it.
// CHECK-LABEL: func.func private @far.programs.0.0
// CHECK-SAME:    (%{{.*}}: vector<16xf32>, %[[P:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-COUNT-4: llvm.getelementptr %[[P]][
// CHECK:         return
// CHECK-LABEL: func.func private @far.programs.0.1
// CHECK-SAME:    (%[[X:.*]]: vector<16xf32>, %[[P:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[P]][64]
// CHECK-NEXT:    llvm.store %[[X]], %[[AT]]
// CHECK-LABEL: func.func private @far.programs(
// CHECK-NOT:     llvm.getelementptr
// CHECK:         call @far.programs.0.0
// CHECK-NEXT:    call @far.programs.0.1
func.func private @far.programs(%p: !llvm.ptr, %x: vector<16xf32>, %s: !llvm.ptr {blockdsl.scratch}) {
  %0 = llvm.getelementptr %p[0] : (!llvm.ptr) -> !llvm.ptr, f32
  %1 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
  %2 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
  %3 = llvm.getelementptr %p[48] : (!llvm.ptr) -> !llvm.ptr, f32
  %4 = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, f32
  %5 = llvm.getelementptr %p[80] : (!llvm.ptr) -> !llvm.ptr, f32
  %6 = llvm.getelementptr %p[96] : (!llvm.ptr) -> !llvm.ptr, f32
  %7 = llvm.getelementptr %p[112] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %x, %0 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %1 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %2 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %3 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %4 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %5 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %6 : vector<16xf32>, !llvm.ptr
  llvm.store %x, %7 : vector<16xf32>, !llvm.ptr
  return
}

// -----

// The length of a loop of few iterations includes all of them, as LLVM unrolls it: here more than 100 instructions.
// WHOLE-LABEL: func.func private @unrolled.programs(
// WHOLE-NEXT:    call @unrolled.programs.0.0
// WHOLE-NEXT:    call @unrolled.programs.0.1
// WHOLE-NEXT:    return
func.func private @unrolled.programs(%p: !llvm.ptr, %x: vector<16xf32>, %s: !llvm.ptr {blockdsl.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    llvm.store volatile %x, %p : vector<16xf32>, !llvm.ptr
  }
  scf.for %i = %c0 to %c40 step %c1 {
    llvm.store volatile %x, %p : vector<16xf32>, !llvm.ptr
  }
  return
}
