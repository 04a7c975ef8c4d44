// RUN: blockdsl-opt %s -test-known-bits -split-input-file -verify-diagnostics

func.func @nothing_known(%x: i32, %y: i32) {
  // expected-remark @below {{nothing is known}}
  %sum = arith.addi %x, %y : i32
  // expected-remark @below {{nothing is known}}
  %quotient = arith.divui %x, %y : i32
  return
}

// -----

func.func @argument(%x: i32 {tt.divisibility = 16 : i32}) {
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  // expected-remark @below {{known: (divisor 16)}}
  %product = arith.muli %x, %three : i32
  // expected-remark @below {{known: (divisor 64)}}
  %shifted = arith.muli %x, %four : i32
  // expected-remark @below {{known: (divisor 4, nsw, nuw)}}
  %sum = arith.addi %product, %four : i32
  return
}

// -----

// Only the power of two in the divisor of an argument is known.
func.func @argument_of_odd_divisor(%x: i32 {tt.divisibility = 12 : i32}, %y: i32 {tt.divisibility = 3 : i32}) {
  // expected-remark @below {{known: (divisor 4)}}
  %a = arith.addi %x, %x : i32
  // expected-remark @below {{nothing is known}}
  %b = arith.addi %y, %y : i32
  return
}

// -----

func.func @without_remainder(%x: i32) {
  %eight = arith.constant 8 : i32
  // expected-remark @below {{known: (signed 0 to 7, unsigned 0 to 7)}}
  %rest = arith.remui %x, %eight : i32
  // expected-remark @below {{known: (divisor 8)}}
  %whole = arith.subi %x, %rest : i32
  return
}

// -----

func.func @loop_variable(%n: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %twelve = arith.constant 12 : index
  scf.for %i = %zero to %twelve step %four {
    // expected-remark @below {{known: (divisor 4, signed 0 to 11, unsigned 0 to 11)}}
    %x = arith.index_cast %i : index to i32
  }
  scf.for %i = %zero to %n step %four {
    // expected-remark @below {{known: (divisor 4, signed 0 to 9223372036854775806, unsigned 0 to 9223372036854775806, nsw, nuw)}}
    %x = arith.addi %i, %zero : index
  }
  scf.for %i = %n to %twelve step %four {
    // expected-remark @below {{known: (signed -9223372036854775808 to 11, nsw, nuw)}}
    %x = arith.addi %i, %zero : index
  }
  return
}

// -----

// Only the variable of a loop is bounded, not the values that it carries.
func.func @carried_value(%n: index, %x: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  // expected-remark @below {{nothing is known}}
  %last = scf.for %i = %zero to %n step %four iter_args(%carried = %x) -> i32 {
    // expected-remark @below {{nothing is known}}
    %next = arith.addi %carried, %x : i32
    scf.yield %next : i32
  }
  return
}

// -----

func.func @sums_that_never_wrap(%x: i8, %y: i8 {tt.divisibility = 8 : i32}) {
  %three = arith.constant 3 : i8
  %eight = arith.constant 8 : i8
  // expected-remark @below {{nothing is known}}
  %unknown = arith.addi %x, %three : i8
  // The low three bits of %y are zero.
  // expected-remark @below {{known: (nsw, nuw)}}
  %multiple = arith.addi %y, %three : i8
  // expected-remark @below {{known: (divisor 8)}}
  %next = arith.addi %y, %eight : i8
  // expected-remark @below {{known: (signed -128 to 127)}}
  %wide = arith.extsi %x : i8 to i16
  %three_wide = arith.constant 3 : i16
  // As an unsigned number, -1 is the largest number.
  // expected-remark @below {{known: (signed -125 to 130, nsw)}}
  %signed = arith.addi %wide, %three_wide : i16
  return
}

// -----

func.func @program_ids() {
  // expected-remark @below {{known: (signed 0 to 2147483647, unsigned 0 to 2147483647)}}
  %x = tt.get_program_id x : i32
  return
}

// -----

func.func @addresses(%p: !llvm.ptr {llvm.align = 16 : i64}, %q: !llvm.ptr, %i: i32) {
  %two = arith.constant 2 : i32
  // expected-remark @below {{known: (divisor 2)}}
  %even = arith.muli %i, %two : i32
  // expected-remark @below {{known: (alignment 8)}}
  %a = llvm.getelementptr %p[%even] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  // expected-remark @below {{known: (alignment 4)}}
  %b = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  // expected-remark @below {{nothing is known}}
  %c = llvm.getelementptr %q[%even] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  // expected-remark @below {{nothing is known}}
  %d = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
  return
}
