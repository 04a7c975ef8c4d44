// RUN: blockdsl-opt %s -tt-rewrite-tensor-descriptors -split-input-file -verify-diagnostics

// expected-error @below {{'tt.func' op expects parameter 1 ('!tt.tensordesc<4x64xf32>') to be followed by 2 sizes (i32) and 2 strides (i64)}}
tt.func @parameter_alone(%n: i32, %d: !tt.tensordesc<4x64xf32>, %m: i32, %k: i32, %s: i64) {
  tt.return
}

// -----

tt.func private @region(%d: !tt.tensordesc<64xf32>) {
  // expected-error @below {{'scf.execute_region' op expects no tensor descriptor, which becomes several values, got '!tt.tensordesc<64xf32>'}}
  %e = scf.execute_region -> !tt.tensordesc<64xf32> {
    scf.yield %d : !tt.tensordesc<64xf32>
  }
  tt.return
}

// -----

tt.func private @cast(%d: !tt.tensordesc<64xf32>) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op expects no tensor descriptor, which becomes several values, got '!tt.tensordesc<64xf32>'}}
  %p = builtin.unrealized_conversion_cast %d : !tt.tensordesc<64xf32> to !tt.ptr<f32>
  tt.return
}

// -----

func.func private @other(!tt.tensordesc<64xf32>)

tt.func private @another_dialects_call(%d: !tt.tensordesc<64xf32>) {
  // expected-error @below {{'func.call' op expects no tensor descriptor, which becomes several values, got '!tt.tensordesc<64xf32>'}}
  func.call @other(%d) : (!tt.tensordesc<64xf32>) -> ()
  tt.return
}

// -----

// expected-error @below {{'tt.func' op expects no tensor descriptor, which becomes several values, got 'tensor<4x!tt.tensordesc<64xf32>>'}}
tt.func private @block_of_descriptors(%d: tensor<4x!tt.tensordesc<64xf32>>) {
  tt.return
}
