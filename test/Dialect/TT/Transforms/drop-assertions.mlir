// RUN: blockdsl-opt %s -tt-drop-assertions -canonicalize | FileCheck %s

// CHECK-LABEL: tt.func @what_only_an_assertion_used_goes_too
// CHECK:         scf.for
// CHECK-NEXT:      tt.store
// CHECK-NEXT:    }
tt.func @what_only_an_assertion_used_goes_too(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %small = arith.cmpi slt, %i, %c1 : i32
    tt.assert %small, "i is small" : i1
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
