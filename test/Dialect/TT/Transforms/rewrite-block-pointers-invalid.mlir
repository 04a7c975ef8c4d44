// RUN: blockdsl-opt %s -tt-rewrite-block-pointers -split-input-file -verify-diagnostics

tt.func @pointer_of_unknown_origin(%p: !tt.ptr<tensor<64xf32>>) -> tensor<64xf32> {
  // expected-error @below {{'tt.load' op expects a block pointer that comes from one tt.make_tensor_ptr, through loops and tt.advance only}}
  %x = tt.load %p : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}
