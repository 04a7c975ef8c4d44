//===- Passes.td - tt to tt --------------------------------*- tablegen -*-===//
// One record per pass that begins and ends in the tt dialect.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def MakeInlinablePass : Pass<"tt-make-inlinable", "::mlir::ModuleOp"> {
  let summary = "Prepares functions so that every call can be inlined";
  let description = [{
    Before: functions and `tt.map_elementwise` regions may hold several blocks, as an early `return` in a kernel gives;
    functions may be marked `noinline`.

    After: each of them is one block, with `scf` in place of branches, and none is marked. A callee of several blocks could
    not be inlined into a loop or a reduction, and a call that stays has no place in a kernel for the CPU.

    Example:

    ```mlir
    cf.cond_br %c, ^early, ^late    // becomes scf.if %c
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
