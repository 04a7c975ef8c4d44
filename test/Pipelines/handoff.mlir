// RUN: blockdsl-opt %s --blockdsl-to-handoff | FileCheck %s
// RUN: blockdsl-opt %s --blockdsl-to-handoff="debug=true version=3.6" --tt-version=3.6 | FileCheck %s --check-prefixes=CHECK,DEBUG

// The callee is inlined into the loop, the kernel keeps its branches, and hints stay on their values.
// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME:    {tt.divisibility = 16 : i32}
// CHECK:         cf.cond_br
// CHECK:         scf.for
// CHECK:           tt.contiguity = dense<8>
// DEBUG:           tt.assert
// CHECK-NOT:       tt.assert
// CHECK:           scf.if
// CHECK:           tt.store
// CHECK-NOT:   tt.call
// CHECK-NOT:   tt.func
tt.func public @kernel(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %none, ^end, ^work
^work:
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i {tt.contiguity = dense<8> : tensor<1xi32>} : !tt.ptr<i32>, i32
    %x = tt.call @early(%i) : (i32) -> i32
    tt.store %q, %x : !tt.ptr<i32>
  }
  tt.return
^end:
  tt.return
}
tt.func private @early(%x: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c = arith.cmpi slt, %x, %c7 : i32
  tt.assert %c, "small" : i1
  cf.cond_br %c, ^then, ^else
^then:
  tt.return %c7 : i32
^else:
  tt.return %x : i32
}
