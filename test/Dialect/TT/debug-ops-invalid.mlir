// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @print_with_too_few_signs(%n: i32) {
  // expected-error @below {{'tt.print' op expects number of signs (0) to be the number of operands (1)}}
  tt.print "n" {hex = false, isSigned = array<i32>} : %n : i32
  tt.return
}

// -----

tt.func @assert_of_integers(%n: tensor<64xi32>) {
  // expected-error @below {{'tt.assert' op operand #0 must be bool, or block or vector of bools, but got 'tensor<64xi32>'}}
  tt.assert %n, "no" : tensor<64xi32>
  tt.return
}
