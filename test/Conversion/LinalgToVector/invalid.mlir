// RUN: blockdsl-opt %s -convert-linalg-to-vector -split-input-file -verify-diagnostics

// expected-error @below {{expects a kernel to return nothing}}
tt.func @returns_a_value() -> i32 {
  %c = arith.constant 1 : i32
  tt.return %c : i32
}

// -----

// expected-error @below {{expects a body with structured control flow}}
tt.func @branches(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  tt.return
^b:
  tt.return
}
