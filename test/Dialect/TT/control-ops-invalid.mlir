// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @call_of_nothing() {
  // expected-error @below {{'tt.call' op expects callee (missing) to be a function of this module}}
  tt.call @missing() : () -> ()
  tt.return
}

// -----

tt.func private @callee(f32)
tt.func @call_with_too_few_operands() {
  // expected-error @below {{'tt.call' op expects number of operands (0) to equal the callee's number of arguments (1)}}
  tt.call @callee() : () -> ()
  tt.return
}

// -----

tt.func private @callee(f32)
tt.func @call_with_another_type(%x: i32) {
  // expected-error @below {{'tt.call' op expects type of operand 0 ('i32') to equal the argument's ('f32')}}
  tt.call @callee(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func private @callee() -> f32
tt.func @call_with_another_result() {
  // expected-error @below {{'tt.call' op expects result types ('i32') to equal the callee's ('f32')}}
  %x = tt.call @callee() : () -> i32
  tt.return
}

// -----

tt.func @return_of_too_much(%x: f32) {
  // expected-error @below {{'tt.return' op expects number of operands (1) to equal the function's number of results (0)}}
  tt.return %x : f32
}

// -----

tt.func @return_of_another_type(%x: f32) -> i32 {
  // expected-error @below {{'tt.return' op expects type of operand 0 ('f32') to equal the function's result ('i32')}}
  tt.return %x : f32
}

// -----

tt.func @return_inside_a_loop(%n: index) {
  scf.for %i = %n to %n step %n {
    // expected-error @below {{'tt.return' op expects parent op 'tt.func'}}
    tt.return
  }
  tt.return
}

// -----

// expected-error @below {{custom op 'tt.func' attribute 'arg_attrs' failed to satisfy constraint: Array of dictionary attributes}}
tt.func @function_with_an_attribute_of_another_kind() attributes {arg_attrs} {
  tt.return
}
