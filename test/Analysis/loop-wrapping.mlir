// RUN: blockdsl-opt %s -test-loop-wrapping -split-input-file -verify-diagnostics

func.func @nothing_known(%low: i32, %high: i32, %step: i32) {
  // expected-remark @below {{any step, may wrap}}
  scf.for %i = %low to %high step %step : i32 {
  }
  // expected-remark @below {{any step, may wrap}}
  scf.for unsigned %i = %low to %high step %step : i32 {
  }
  return
}

// -----

func.func @constant_steps(%low: i32, %high: i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %negative = arith.constant -1 : i32
  // expected-remark @below {{positive step, never wraps}}
  scf.for %i = %low to %high step %one : i32 {
  }
  // expected-remark @below {{positive step, may wrap}}
  scf.for %i = %low to %high step %two : i32 {
  }
  // expected-remark @below {{any step, may wrap}}
  scf.for %i = %low to %high step %negative : i32 {
  }
  return
}

// -----

// A lower bound of zero helps signed loops only.
func.func @from_zero(%high: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  // expected-remark @below {{positive step, wraps as signed}}
  scf.for %i = %zero to %high step %two : i32 {
  }
  // expected-remark @below {{positive step, may wrap}}
  scf.for unsigned %i = %zero to %high step %two : i32 {
  }
  return
}

// -----

func.func @known_upper_bounds(%low: i32, %multiple: i32 {tt.divisibility = 4 : i32}) {
  %ten = arith.constant 10 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  // expected-remark @below {{positive step, never wraps}}
  scf.for %i = %low to %ten step %four : i32 {
  }
  // expected-remark @below {{positive step, never wraps}}
  scf.for %i = %low to %multiple step %four : i32 {
  }
  // expected-remark @below {{positive step, may wrap}}
  scf.for %i = %low to %multiple step %five : i32 {
  }
  return
}
