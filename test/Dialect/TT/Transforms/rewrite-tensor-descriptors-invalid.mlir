// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors -split-input-file -verify-diagnostics

// expected-error @below {{'tt.func' op expects parameter 1 ('!tt.tensordesc<4x64xf32>') to be followed by 2 sizes (i32) and 2 strides (i64)}}
tt.func @parameter_alone(%n: i32, %d: !tt.tensordesc<4x64xf32>, %m: i32, %k: i32, %s: i64) {
  tt.return
}
