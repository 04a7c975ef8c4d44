// RUN: blockdsl-opt %s -convert-launch-abi -split-input-file -verify-diagnostics

// expected-error @below {{'func.func' op expects a kernel to have a body of one block and no results}}
func.func @gives_a_result() -> i32 attributes {blockdsl.kernel} {
  %c = arith.constant 1 : i32
  return %c : i32
}

// -----

// expected-error @below {{'func.func' op expects argument 0 to be a pointer or a number of at most 64 bits, but it is 'vector<4xf32>'}}
func.func @takes_a_vector(%x: vector<4xf32>) attributes {blockdsl.kernel} {
  return
}

// -----

// expected-error @below {{'func.func' op expects the scratch memory to be the last argument and a pointer}}
func.func @scratch_first(%s: !llvm.ptr {blockdsl.scratch}, %n: i32) attributes {blockdsl.kernel} {
  return
}

// -----

// expected-error @below {{'func.func' op expects argument 1 to be a pointer or a number of at most 64 bits, but it is 'i128'}}
func.func @does_not_fit_a_slot(%p: !llvm.ptr, %n: i128) attributes {blockdsl.kernel} {
  return
}
