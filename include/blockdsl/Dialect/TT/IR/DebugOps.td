//===- DebugOps.td - Printing and assertions ---------------*- tablegen -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_DEBUGOPS
#define BLOCKDSL_DIALECT_TT_IR_DEBUGOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Output is no memory, so that prints and assertions do not prevent the motion of loads.
def TT_DebugOutput : Resource<"::blockdsl::DebugOutput">;

def TT_PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite<TT_DebugOutput>]>]> {
  let summary = "Prints scalars and blocks";
  let description = [{
    Prints `prefix` and every element of every operand, in hexadecimal where `hex` is set. `isSigned` has one number for
    each operand, 0 or 1.

    Example:

    ```mlir
    tt.print " x: " {hex = false, isSigned = array<i32: 0, 1>} : %x, %n : tensor<64xf32>, i32
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_AnyOrVector>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite<TT_DebugOutput>]>]> {
  let summary = "Reports a condition that does not hold";
  let description = [{
    If `condition`, or an element of it, is false, the launch fails with `message`. The program continues.

    Example:

    ```mlir
    tt.assert %c, "index out of bounds" : tensor<64xi1>
    ```
  }];
  let arguments = (ins TT_BoolOrVector:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_DEBUGOPS
