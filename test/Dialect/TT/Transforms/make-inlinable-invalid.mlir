// RUN: blockdsl-opt %s --tt-make-inlinable -verify-diagnostics

// expected-error @below {{'tt.func' op expects branches that scf can say: cf.br, cf.cond_br and cf.switch}}
tt.func @two_ways_to_end(%c: i1) {
  cf.cond_br %c, ^return, ^trap
^return:
  tt.return
^trap:
  llvm.unreachable
}
