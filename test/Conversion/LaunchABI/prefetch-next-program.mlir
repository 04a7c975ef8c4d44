// RUN: blockdsl-opt %s -prefetch-next-program -allow-unregistered-dialect -split-input-file | FileCheck %s

// The second loop over a row prefetches the row of the next program, both cache lines of a vector. The third loop and
// the remainder of the first have no prefetches.

// CHECK-LABEL: func.func @row_read_again
// CHECK:       scf.for %{{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (i32)
// CHECK:         %[[NEXT:.*]] = arith.addi %[[X]], %{{.*}} : i32
// CHECK:         %[[AT:.*]] = arith.muli %[[X]], %[[STRIDE:.*]] : i32
// CHECK-NEXT:    %[[NEXTAT:.*]] = arith.muli %[[NEXT]], %[[STRIDE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = llvm.getelementptr %[[IN:.*]][%[[AT]]]
// CHECK-NEXT:    %[[NEXTROW:.*]] = llvm.getelementptr %[[IN]][%[[NEXTAT]]]
// CHECK:         scf.for
// CHECK-NOT:       prefetch
// CHECK:         scf.for
// CHECK-NOT:       prefetch
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      %[[P:.*]] = llvm.getelementptr %[[ROW]][%[[I]]]
// CHECK-NEXT:      %[[Q:.*]] = llvm.getelementptr %[[NEXTROW]][%[[I]]]
// CHECK-NEXT:      %[[FIRST:.*]] = llvm.getelementptr %[[Q]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:      "llvm.intr.prefetch"(%[[FIRST]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NEXT:      %[[SECOND:.*]] = llvm.getelementptr %[[Q]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:      "llvm.intr.prefetch"(%[[SECOND]])
// CHECK-NEXT:      llvm.load %[[P]]
// CHECK-NOT:     prefetch
func.func @row_read_again(%in: !llvm.ptr, %stride: i32, %n: i64, %m: i64, %first: i64, %last: i64, %x0: i32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %one = arith.constant 1 : i32
  scf.for %id = %first to %last step %c1 iter_args(%x = %x0) -> (i32) : i64 {
    %next = arith.addi %x, %one : i32
    %at = arith.muli %x, %stride : i32
    %row = llvm.getelementptr %in[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    scf.for %i = %c0 to %n step %c32 : i64 {
      %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
      "test.use"(%v) : (vector<32xf32>) -> ()
    }
    scf.for %i = %n to %m step %c16 : i64 {
      %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      "test.use"(%v) : (vector<16xf32>) -> ()
    }
    scf.for %i = %c0 to %n step %c32 : i64 {
      %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
      "test.use"(%v) : (vector<32xf32>) -> ()
    }
    scf.for %i = %c0 to %n step %c32 : i64 {
      %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
      "test.use"(%v) : (vector<32xf32>) -> ()
    }
    scf.yield %next : i32
  } {blockdsl.programs}
  return
}

// -----

// A program of several rows: the address still depends on the loop over its rows.

// CHECK-LABEL: func.func @rows_read_again
// CHECK:         scf.for %{{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (i32)
// CHECK:           %[[NEXT:.*]] = arith.addi %[[X]]
// CHECK:           %[[NEXTFROM:.*]] = arith.muli %[[NEXT]], %{{.*}} : i32
// CHECK-NOT:       prefetch
// CHECK:           %[[NEXTROW:.*]] = arith.addi %[[NEXTFROM]], %[[R:.*]] : i32
// CHECK:           %[[NEXTAT:.*]] = arith.muli %[[NEXTROW]]
// CHECK-NEXT:      scf.for %[[I:.*]] =
// CHECK:             %[[NEXTINDEX:.*]] = arith.addi %[[NEXTAT]], %[[I]] : i32
// CHECK:             llvm.getelementptr %{{.*}}[%[[NEXTINDEX]]]
// CHECK:             "llvm.intr.prefetch"
func.func @rows_read_again(%in: !llvm.ptr, %n: i32, %first: i64, %last: i64, %x0: i32) {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %sixteen = arith.constant 16 : i32
  scf.for %id = %first to %last step %c1 iter_args(%x = %x0) -> (i32) : i64 {
    %next = arith.addi %x, %one : i32
    %from = arith.muli %x, %four : i32
    scf.for %r = %zero to %four step %one : i32 {
      %row = arith.addi %from, %r : i32
      %at = arith.muli %row, %n : i32
      scf.for %i = %zero to %n step %sixteen : i32 {
        %index = arith.addi %at, %i : i32
        %p = llvm.getelementptr %in[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    }
    scf.for %r = %zero to %four step %one : i32 {
      %row = arith.addi %from, %r : i32
      %at = arith.muli %row, %n : i32
      scf.for %i = %zero to %n step %sixteen : i32 {
        %index = arith.addi %at, %i : i32
        %p = llvm.getelementptr %in[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    }
    scf.yield %next : i32
  } {blockdsl.programs}
  return
}

// -----

// No prefetch: both branches of an `if` read once; weights are the same for each program; the address of a row that was
// looked up in memory is only known to the next program.

// CHECK-LABEL: func.func @nothing_to_fetch
// CHECK-NOT:   prefetch
func.func @nothing_to_fetch(%in: !llvm.ptr, %weights: !llvm.ptr, %where: !llvm.ptr, %flag: i1, %n: i64, %first: i64,
                            %last: i64, %x0: i32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %one = arith.constant 1 : i32
  scf.for %id = %first to %last step %c1 iter_args(%x = %x0) -> (i32) : i64 {
    %next = arith.addi %x, %one : i32
    %row = llvm.getelementptr %in[%x] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %entry = llvm.getelementptr %where[%x] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %found = llvm.load %entry : !llvm.ptr -> i32
    %there = llvm.getelementptr %in[%found] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    scf.if %flag {
      scf.for %i = %c0 to %n step %c16 : i64 {
        %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    } else {
      scf.for %i = %c0 to %n step %c16 : i64 {
        %p = llvm.getelementptr %row[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    }
    scf.for %i = %c0 to %n step %c16 : i64 {
      %p = llvm.getelementptr %weights[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
      %q = llvm.getelementptr %there[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %w = llvm.load %q : !llvm.ptr -> vector<16xf32>
      "test.use"(%v, %w) : (vector<16xf32>, vector<16xf32>) -> ()
    }
    scf.for %i = %c0 to %n step %c16 : i64 {
      %p = llvm.getelementptr %weights[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
      %q = llvm.getelementptr %there[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %w = llvm.load %q : !llvm.ptr -> vector<16xf32>
      "test.use"(%v, %w) : (vector<16xf32>, vector<16xf32>) -> ()
    }
    scf.yield %next : i32
  } {blockdsl.programs}
  return
}

// -----

// Loads in a loop of the kernel's source cover more than a block and are not prefetched.

// CHECK-LABEL: func.func @row_in_steps
// CHECK-NOT:   prefetch
// CHECK-NOT:   blockdsl.source_loop
func.func @row_in_steps(%in: !llvm.ptr, %n: i64, %first: i64, %last: i64, %x0: i32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %one = arith.constant 1 : i32
  scf.for %id = %first to %last step %c1 iter_args(%x = %x0) -> (i32) : i64 {
    %next = arith.addi %x, %one : i32
    %row = llvm.getelementptr %in[%x] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    scf.for %start = %c0 to %n step %c256 : i64 {
      %block = llvm.getelementptr %row[%start] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      scf.for %i = %c0 to %c256 step %c16 : i64 {
        %p = llvm.getelementptr %block[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    } {blockdsl.source_loop}
    scf.for %start = %c0 to %n step %c256 : i64 {
      %block = llvm.getelementptr %row[%start] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      scf.for %i = %c0 to %c256 step %c16 : i64 {
        %p = llvm.getelementptr %block[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
        "test.use"(%v) : (vector<16xf32>) -> ()
      }
    } {blockdsl.source_loop}
    scf.yield %next : i32
  } {blockdsl.programs}
  return
}
