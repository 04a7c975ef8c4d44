// RUN: blockdsl-opt %s -split-input-file -tt-collect-functions -verify-diagnostics

module {
  // expected-note @below {{another is here}}
  tt.func public @kernel() {
    tt.return
  }
}
module {
  // expected-error @below {{'tt.func' op expects one public function 'kernel'}}
  tt.func public @kernel() {
    tt.return
  }
}

// -----

module {
}
module {
  // expected-error @below {{'arith.constant' op expects a module to hold functions}}
  %0 = arith.constant 1 : i32
}
