// RUN: blockdsl-opt %s -split-input-file --outline-repeated-loops | FileCheck %s

#rolled = #llvm.loop_annotation<unroll = <disable = true>>

// Three loops that differ in buffers and a constant become calls. Constants that are the same in all of them, such as
// bounds, are cloned into the function; the number of the first program is its first argument, with the same mark.
// CHECK-LABEL: func.func private @network.programs.loops.0
// CHECK-SAME:    (%{{.*}}: i64 {blockdsl.first_program}, %[[FROM:.*]]: !llvm.ptr, %[[BY:.*]]: vector<16xi32>, %[[TO:.*]]: !llvm.ptr)
// CHECK-SAME:    attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK-DAG:     %[[LOW:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 1024 : index
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1> : vector<16xi32>
// CHECK:         scf.for %[[I:.*]] = %[[LOW]] to %[[HIGH]] step %[[STEP]] {
// CHECK:           llvm.getelementptr %[[FROM]]
// CHECK:           %[[SUM:.*]] = arith.addi %{{.*}}, %[[BY]]
// CHECK:           arith.xori %[[SUM]], %[[ONE]]
// CHECK:           llvm.getelementptr %[[TO]]
// CHECK:         }
// CHECK-SAME:    llvm.loop_annotation
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @network.programs(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64
// CHECK-DAG:     %[[A:.*]] = arith.constant dense<1> : vector<16xi32>
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<2> : vector<16xi32>
// CHECK-NOT:     scf.for
// CHECK:         call @network.programs.loops.0(%[[FIRST]], %[[X]], %[[A]], %[[Y]])
// CHECK-NEXT:    call @network.programs.loops.0(%[[FIRST]], %[[Y]], %[[B]], %[[X]])
// CHECK-NEXT:    call @network.programs.loops.0(%[[FIRST]], %[[X]], %[[B]], %[[Y]])
// CHECK-NEXT:    return
func.func private @network.programs(%x: !llvm.ptr, %y: !llvm.ptr, %first: i64 {blockdsl.first_program}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %one = arith.constant dense<1> : vector<16xi32>
  %two = arith.constant dense<2> : vector<16xi32>
  scf.for %i = %c0 to %c1024 step %c16 {
    %at = arith.index_cast %i : index to i64
    %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %p : !llvm.ptr -> vector<16xi32>
    %w = arith.addi %v, %one : vector<16xi32>
    %u = arith.xori %w, %one : vector<16xi32>
    %q = llvm.getelementptr %y[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %u, %q : vector<16xi32>, !llvm.ptr
  } {llvm.loop_annotation = #rolled}
  scf.for %i = %c0 to %c1024 step %c16 {
    %at = arith.index_cast %i : index to i64
    %p = llvm.getelementptr %y[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %p : !llvm.ptr -> vector<16xi32>
    %w = arith.addi %v, %two : vector<16xi32>
    %u = arith.xori %w, %one : vector<16xi32>
    %q = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %u, %q : vector<16xi32>, !llvm.ptr
  } {llvm.loop_annotation = #rolled}
  scf.for %i = %c0 to %c1024 step %c16 {
    %at = arith.index_cast %i : index to i64
    %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %v = llvm.load %p : !llvm.ptr -> vector<16xi32>
    %w = arith.addi %v, %two : vector<16xi32>
    %u = arith.xori %w, %one : vector<16xi32>
    %q = llvm.getelementptr %y[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %u, %q : vector<16xi32>, !llvm.ptr
  } {llvm.loop_annotation = #rolled}
  return
}

// -----

// Long loops that LLVM does not unroll in any case, inside of another.
// CHECK-LABEL: func.func private @nested.loops.0(%{{.*}}: f32, %{{.*}}: !llvm.ptr)
// CHECK-LABEL: func.func private @nested(
// CHECK:         scf.for
// CHECK-COUNT-3:   call @nested.loops.0
// CHECK-NOT:     scf.for
func.func private @nested(%p: !llvm.ptr, %a: f32, %b: f32, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  scf.for %k = %c0 to %c4096 step %c1 {
    scf.for %i = %c0 to %c4096 step %c1 {
      llvm.store %a, %p : f32, !llvm.ptr
    }
    scf.for %i = %c0 to %c4096 step %c1 {
      llvm.store %b, %p : f32, !llvm.ptr
    }
    scf.for %i = %c0 to %c4096 step %c1 {
      llvm.store %c, %p : f32, !llvm.ptr
    }
  }
  return
}

// -----

// Two loops are too few.
// CHECK-LABEL: func.func private @few(
// CHECK-NOT:     call
func.func private @few(%p: !llvm.ptr, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  scf.for %i = %c0 to %c4096 step %c1 {
    llvm.store %a, %p : f32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    llvm.store %a, %p : f32, !llvm.ptr
  }
  return
}

// -----

// Loops over different ranges, with different ops, attributes or types, or that use different values of their own.
// CHECK-LABEL: func.func private @different(
// CHECK-NOT:     call
func.func private @different(%p: !llvm.ptr, %a: i32, %b: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %c8192 = arith.constant 8192 : index
  scf.for %i = %c0 to %c8192 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.addi %j, %a : i32
    llvm.store %k, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.addi %j, %a : i32
    llvm.store %k, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.addi %j, %j : i32
    llvm.store %k, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.addi %j, %a : i32
    llvm.store %j, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.subi %j, %a : i32
    llvm.store %k, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i32
    %k = arith.addi %j, %a : i32
    llvm.store volatile %k, %p : i32, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.index_cast %i : index to i64
    %k = arith.addi %j, %b : i64
    llvm.store %k, %p : i64, !llvm.ptr
  }
  return
}

// -----

// Divisions by different constants, which LLVM converts to multiplications.
// CHECK-LABEL: func.func private @divisors(
// CHECK-NOT:     call
func.func private @divisors(%p: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c4096 = arith.constant 4096 : index
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.divui %i, %c3 : index
    %k = arith.index_cast %j : index to i64
    llvm.store %k, %p : i64, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.divui %i, %c5 : index
    %k = arith.index_cast %j : index to i64
    llvm.store %k, %p : i64, !llvm.ptr
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %j = arith.divui %i, %c7 : index
    %k = arith.index_cast %j : index to i64
    llvm.store %k, %p : i64, !llvm.ptr
  }
  return
}

// -----

// Short loops are unrolled by LLVM.
// CHECK-LABEL: func.func private @unrolled(
// CHECK-NOT:     call
func.func private @unrolled(%p: !llvm.ptr, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    llvm.store %a, %p : f32, !llvm.ptr
  }
  scf.for %i = %c0 to %c16 step %c1 {
    llvm.store %a, %p : f32, !llvm.ptr
  }
  scf.for %i = %c0 to %c16 step %c1 {
    llvm.store %a, %p : f32, !llvm.ptr
  }
  return
}

// -----

// A poll returns from its function, and results would have to pass through memory.
// CHECK-LABEL: func.func private @polls(
// CHECK-NOT:     call @polls
// CHECK:         return
func.func private @blockdsl_poll(!llvm.ptr)
func.func private @polls(%p: !llvm.ptr, %a: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  scf.for %i = %c0 to %c4096 step %c1 {
    func.call @blockdsl_poll(%p) : (!llvm.ptr) -> ()
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    func.call @blockdsl_poll(%p) : (!llvm.ptr) -> ()
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    func.call @blockdsl_poll(%p) : (!llvm.ptr) -> ()
  }
  %0 = scf.for %i = %c0 to %c4096 step %c1 iter_args(%s = %a) -> f32 {
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  %1 = scf.for %i = %c0 to %c4096 step %c1 iter_args(%s = %0) -> f32 {
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  %2 = scf.for %i = %c0 to %c4096 step %c1 iter_args(%s = %1) -> f32 {
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  return %2 : f32
}
