// RUN: blockdsl-opt %s -split-input-file -tt-collect-functions -verify-diagnostics

module {
  // expected-note @below {{another is here: rename one of them, or lower each module for itself, with -split-input-file and}}
  tt.func public @kernel() {
    tt.return
  }
}
module {
  // expected-error @below {{'tt.func' op expects one public function 'kernel' in all modules, which are lowered as one}}
  tt.func public @kernel() {
    tt.return
  }
}

// -----

// At any nesting depth, and in functions of any dialect.
// expected-note @below {{another is here}}
func.func @kernel() {
  return
}
module @outer {
  module @inner {
    // expected-error @below {{'func.func' op expects one public function 'kernel' in all modules, which are lowered as one}}
    func.func @kernel() {
      return
    }
  }
}

// -----

module {
}
module {
  // expected-error @below {{'arith.constant' op expects a module to hold functions}}
  %0 = arith.constant 1 : i32
}
