// RUN: blockdsl-opt %s -tt-verify-supported-ops | FileCheck %s

// Ops that Triton prints, and functions that call each other.
// CHECK-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %isPositive = arith.cmpi sgt, %n, %zero : i32
  llvm.intr.assume %isPositive : i1
  %none = ub.poison : f32
  %one = llvm.mlir.constant(1 : i32) : i32
  gpu.barrier
  ttg.barrier all
  %x = tt.call @root(%none) : (f32) -> f32
  cf.cond_br %isPositive, ^store, ^end
^store:
  scf.if %isPositive {
    tt.store %p, %x : !tt.ptr<f32>
  }
  cf.br ^end
^end:
  tt.return
}

tt.func private @root(%x: f32) -> f32 {
  %root = math.sqrt %x : f32
  tt.return %root : f32
}

module {
  func.func @inner() {
    func.return
  }
}
