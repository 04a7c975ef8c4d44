//===- DotOps.td - Matrix products -------------------------*- tablegen -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_DOTOPS
#define BLOCKDSL_DIALECT_TT_IR_DOTOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_DotOp : TT_Op<"dot", [Pure, TT_InferType,
                             TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "Matrix product of two blocks, added to an accumulator";
  let description = [{
    Computes `c + a * b`; with three dimensions, one product for each index of the first. The accumulator gives the
    result type. The order of the sum is undefined. `inputPrecision` is the precision to which f32 operands may be
    rounded; `ieee` forbids rounding. `maxNumImpreciseAcc` allows that many additions of 8-bit products in less than
    f32, and may be ignored.

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

def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments, TT_InferType,
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "Matrix product of two blocks in microscaling formats, added to an accumulator";
  let description = [{
    Computes `c + (a * a_scale) * (b * b_scale)`, after the microscaling formats of the Open Compute Project (MX,
    version 1.0, 2023). One scale applies to 32 or 16 consecutive elements along the inner dimension: `a_scale` has a
    row for each row of `a`, and `b_scale` a row for each column of `b`. An i8 scale is the biased exponent of a power
    of two (127 is 1, 255 is NaN); an 8-bit float is the scale itself.

    An i8 has two elements of `e2m1` (4 bits), the first in the low bits. They are neighbors along the inner dimension,
    or along the outer one if `lhs_k_pack` (`rhs_k_pack`) is false.

    Example:

    ```mlir
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false}
        : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[TT_Float, I8]>:$a, RankedTensorOf<[TT_Float, I8]>:$b, TT_FloatTensor:$c,
                       Optional<RankedTensorOf<[TT_Float, I8]>>:$a_scale,
                       Optional<RankedTensorOf<[TT_Float, I8]>>:$b_scale, TT_ScaleDotElemType:$a_elem_type,
                       TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_DOTOPS
