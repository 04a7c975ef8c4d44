//===- ReduceOps.td - Reductions, scans and gathers --------*- tablegen -*-===//
// Reductions and scans with a region that combines two elements, histograms, and gathers along an axis.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_REDUCEOPS
#define BLOCKDSL_DIALECT_TT_IR_REDUCEOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_CombineReturnOp<string mnemonic, string parent>
    : TT_Op<mnemonic, [HasParent<parent>, Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ReduceOp : TT_Op<"reduce", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, TT_InferType]> {
  let summary = "A reduction of one or more blocks along one axis";
  let description = [{
    The region combines two elements of every operand: its arguments are the left elements, one per operand, then the
    right ones. It must be associative and commutative, because the order of the combinations is undefined. The result
    of a block of rank one is a scalar.

    Example:

    ```mlir
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x64xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_ReduceReturnOp : TT_CombineReturnOp<"reduce.return", "ReduceOp"> {
  let summary = "The combination of two elements in a tt.reduce";
  let description = [{
    Example:

    ```mlir
    tt.reduce.return %c : f32
    ```
  }];
}

def TT_ScanOp : TT_Op<"scan", [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, TT_InferType]> {
  let summary = "A scan of one or more blocks along one axis";
  let description = [{
    Element i of the result combines elements 0 to i along the axis, or i to the last one with `reverse`. The region is
    that of `tt.reduce`, and must be associative.

    Example:

    ```mlir
    %sums = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_ScanReturnOp : TT_CombineReturnOp<"scan.return", "ScanOp"> {
  let summary = "The combination of two elements in a tt.scan";
  let description = [{
    Example:

    ```mlir
    tt.scan.return %c : f32
    ```
  }];
}

def TT_HistogramOp : TT_Op<"histogram", [Pure,
    TypesMatchWith<"mask has the shape of src", "src", "mask",
                   "::blockdsl::getSameShape($_self, ::mlir::IntegerType::get($_self.getContext(), 1))",
                   "($_op.getOperands().size() <= 1) || std::equal_to<>()">]> {
  let summary = "Counts of the small integers in a block";
  let description = [{
    Element i of the result is the number of elements of `src` that equal i and whose `mask` is true. Elements are
    unsigned: an i8 is from 0 to 255. Those that are not below the size of the result are not counted.

    Example:

    ```mlir
    %h = tt.histogram %x, %mask : tensor<64xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolTensor>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure, TT_InferType]> {
  let summary = "Elements picked by index along one axis";
  let description = [{
    Returns a block of the shape of `indices`: `result[i, j] = src[indices[i, j], j]` for axis 0. Indices are unsigned.
    On a CPU they are taken modulo the extent; on a GPU the result of an index out of bounds is undefined.
    `efficient_layout` is a hint for GPUs.

    Example:

    ```mlir
    %r = tt.gather %src[%i] {axis = 0 : i32} : (tensor<64x4xf32>, tensor<16x4xi32>) -> tensor<16x4xf32>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_REDUCEOPS
