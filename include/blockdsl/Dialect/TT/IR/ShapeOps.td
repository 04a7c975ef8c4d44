//===- ShapeOps.td - Creation and shapes of blocks ---------*- tablegen -*-===//
// Ops that create blocks or change their shape.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_SHAPEOPS
#define BLOCKDSL_DIALECT_TT_IR_SHAPEOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure, TT_InferType]> {
  let summary = "The integers from start up to, not including, end";
  let description = [{
    Example:

    ```mlir
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure]> {
  let summary = "A block that holds one scalar everywhere";
  let description = [{
    Example:

    ```mlir
    %b = tt.splat %x : f32 -> tensor<16x64xf32>
    ```

    The scalar may also be the only element of a block without dimensions, `tensor<f32>`.
  }];
  let arguments = (ins TT_ScalarOrTensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [Pure, TT_InferType]> {
  let summary = "The only element of a block of size one";
  let description = [{
    Example:

    ```mlir
    %x = tt.unsplat %b : tensor<1xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_ScalarType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [Pure, SameOperandsAndResultElementType, TT_InferType]> {
  let summary = "A block with one more dimension, of size one";
  let description = [{
    The dimension is inserted at `axis`, which counts in the result.

    Example:

    ```mlir
    %b = tt.expand_dims %a {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let summary = "A block with dimensions of size one repeated";
  let description = [{
    The rank is unchanged. Each dimension keeps its size, or has size one and is repeated.

    Example:

    ```mlir
    %b = tt.broadcast %a : tensor<16x1xf32> -> tensor<16x64xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "The elements of a block in another shape";
  let description = [{
    Elements keep their row-major order, unless `allow_reorder` permits any order. `efficient_layout` is a hint for
    GPUs.

    Example:

    ```mlir
    %b = tt.reshape %a allow_reorder : tensor<16x64xf32> -> tensor<1024xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_TransOp : TT_Op<"trans", [Pure, SameOperandsAndResultElementType, TT_InferType]> {
  let summary = "A block with its dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the operand.

    Example:

    ```mlir
    %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x64xf32> -> tensor<64x16xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands, TT_InferType]> {
  let summary = "Two blocks joined along a new last dimension of size two";
  let description = [{
    Example:

    ```mlir
    %c = tt.join %a, %b : tensor<16x64xf32> -> tensor<16x64x2xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplitOp : TT_Op<"split", [AllTypesMatch<["outLHS", "outRHS"]>, Pure, TT_InferType]> {
  let summary = "The two halves of a block whose last dimension has size two";
  let description = [{
    The inverse of `tt.join`.

    Example:

    ```mlir
    %a, %b = tt.split %c : tensor<16x64x2xf32> -> tensor<16x64xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_CatOp : TT_Op<"cat", [Pure, SameTypeOperands]> {
  let summary = "Two concatenated blocks";
  let description = [{
    The operands are concatenated along the first dimension, `lhs` first. In Triton the order of the elements is
    undefined.

    Example:

    ```mlir
    %c = tt.cat %a, %b : tensor<64xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_SHAPEOPS
