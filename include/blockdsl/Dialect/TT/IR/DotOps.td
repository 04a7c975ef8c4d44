//===- DotOps.td - matrix products -------------------------*- tablegen -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_DOTOPS
#define BLOCKDSL_DIALECT_TT_IR_DOTOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_DotOp : TT_Op<"dot", [Pure, TT_InferType,
                             TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "Matrix product of two blocks, added to an accumulator";
  let description = [{
    Computes `c + a * b`; with three dimensions, one product for each index of the first. The accumulator gives the result
    type. The order of the sum is not defined. `inputPrecision` says how far f32 operands may be rounded; `ieee` means not
    at all. `maxNumImpreciseAcc` allows that many additions of 8-bit products in less than f32, and may be ignored.

    Example:

    ```mlir
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x8xf32> * tensor<8x4xf32> -> tensor<16x4xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[TT_Number]>:$a, RankedTensorOf<[TT_Number]>:$b,
                       RankedTensorOf<[TT_Number]>:$c,
                       DefaultValuedAttr<TT_InputPrecision, "::blockdsl::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs RankedTensorOf<[TT_Number]>:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_DOTOPS
