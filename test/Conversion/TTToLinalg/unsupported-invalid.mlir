// RUN: blockdsl-opt %s -convert-tt-to-linalg -split-input-file -verify-diagnostics
// Ops without a lowering to the CPU are errors at their location.

tt.func @call_with_blocks(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.call' op has no form on the CPU yet}}
  tt.call @callee(%x) : (tensor<64xf32>) -> ()
  tt.return
}
tt.func private @callee(%x: tensor<64xf32>) {
  tt.return
}
