//===- ElementwiseOps.td - Elementwise ops that arith and math lack -------===//
// Casts, floating-point operations of a given accuracy, calls of foreign functions, and user regions on each element.
// These ops also take rank-1 vectors, because they are used after blocks have been lowered to loops over vectors.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_ELEMENTWISEOPS
#define BLOCKDSL_DIALECT_TT_IR_ELEMENTWISEOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultShape], ElementwiseMappable.traits, traits)>;

class TT_CastOp<string mnemonic> : TT_ElementwiseOp<mnemonic> {
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_IntToPtrOp : TT_CastOp<"int_to_ptr"> {
  let summary = "An address made from an integer";
  let description = [{
    Example:

    ```mlir
    %p = tt.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[I64, RankedTensorOf<[I64]>]>:$src);
  let results = (outs TT_PtrLike:$result);
  let hasCanonicalizeMethod = 1;
}

def TT_PtrToIntOp : TT_CastOp<"ptr_to_int"> {
  let summary = "The integer value of an address";
  let description = [{
    Example:

    ```mlir
    %i = tt.ptr_to_int %p : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
    ```
  }];
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs AnyTypeOf<[I64, RankedTensorOf<[I64]>]>:$result);
}

def TT_BitcastOp : TT_CastOp<"bitcast"> {
  let summary = "The same bits under another type";
  let description = [{
    Both types have the same width, or both are pointers.

    Example:

    ```mlir
    %y = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
    %q = tt.bitcast %p : !tt.ptr<i1> -> !tt.ptr<i8>
    ```
  }];
  let arguments = (ins TT_AnyOrVector:$src);
  let results = (outs TT_AnyOrVector:$result);
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "A float of another type";
  let description = [{
    Conversions that `arith.extf` and `arith.truncf` do not cover: to and from 8-bit floats, between floats of the same
    width, and narrowing with a given rounding, which must be named when the result is narrower. A value beyond the
    result's largest becomes infinity, or NaN in types without one.

    Example:

    ```mlir
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
    ```
  }];
  let arguments = (ins TT_FloatOrVector:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatOrVector:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [SameOperandsAndResultType]> {
  let summary = "A float kept between two bounds";
  let description = [{
    Computes `min(max(x, min), max)`. With `propagateNan = all` a NaN in `x` gives NaN; with `none` it gives a bound.
    The result is undefined if `min > max` or if a bound is NaN.

    Example:

    ```mlir
    %y = tt.clampf %x, %low, %high, propagateNan = none : tensor<64xf32>
    ```
  }];
  let arguments = (ins TT_FloatOrVector:$x, TT_FloatOrVector:$min, TT_FloatOrVector:$max,
                       TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatOrVector:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let summary = "A square root rounded correctly";
  let description = [{
    Returns the float nearest to the root, unlike `math.sqrt`, which may be off by an ulp.

    Example:

    ```mlir
    %y = tt.precise_sqrt %x : tensor<64xf32>
    ```
  }];
  let arguments = (ins TT_FloatOrVector:$x);
  let results = (outs TT_FloatOrVector:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_ElementwiseOp<"precise_divf", [SameOperandsAndResultType]> {
  let summary = "A quotient rounded correctly";
  let description = [{
    Returns the float nearest to `x / y`. On a CPU so does `arith.divf`, which may be off by two ulps on a GPU.

    Example:

    ```mlir
    %q = tt.precise_divf %x, %y : tensor<64xf32>
    ```
  }];
  let arguments = (ins TT_FloatOrVector:$x, TT_FloatOrVector:$y);
  let results = (outs TT_FloatOrVector:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_ApproxDivFOp : TT_ElementwiseOp<"approx_divf", [SameOperandsAndResultType]> {
  let summary = "An approximate quotient";
  let description = [{
    Returns `x / y` within two ulps. A CPU multiplies by the reciprocal of a loop-invariant divisor. Triton has it since
    3.9, for f32.

    Example:

    ```mlir
    %q = tt.approx_divf %x, %y : tensor<64xf32>
    ```
  }];
  let arguments = (ins TT_FloatOrVector:$x, TT_FloatOrVector:$y);
  let results = (outs TT_FloatOrVector:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_ElementwiseOp<"mulhiui", [Commutative, SameOperandsAndResultType]> {
  let summary = "The upper half of an unsigned product";
  let description = [{
    Multiplies two unsigned integers of n bits and returns bits n to 2n - 1 of the product.

    Example:

    ```mlir
    %h = tt.mulhiui %x, %y : tensor<64xi32>
    ```
  }];
  let arguments = (ins TT_IntOrVector:$x, TT_IntOrVector:$y);
  let results = (outs TT_IntOrVector:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_ExternElementwiseOp
    : TT_Op<"extern_elementwise", [Elementwise, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
                                   DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A foreign function applied to each element";
  let description = [{
    Calls `symbol` for each element. Unless `pure` is set, the function may have side effects, and calls are neither
    moved nor removed. Names that begin with `__nv_` are functions of NVIDIA's device library on every target. On a CPU
    `blockdsl_nanoseconds` and `blockdsl_processor`, which have no operands, are functions of the runtime.

    Example:

    ```mlir
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"}
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_AnyOrVector>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol,
                       BoolAttr:$pure);
  let results = (outs TT_AnyOrVector:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def TT_ElementwiseInlineAsmOp
    : TT_Op<"elementwise_inline_asm", [DeclareOpInterfaceMethods<ConditionallySpeculatable>,
                                       DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Assembly applied to groups of elements";
  let description = [{
    Runs the text once for every group of `packed_element` elements. The partition into groups is undefined. `$0` and so
    on are registers, those of the results first, with LLVM's `constraints`. As many elements of less than 32 bits as
    fit, up to the size of the group, share a register, the first in the low bits. Unless `pure` is set, the text may
    have side effects, and is neither moved nor removed.

    The text is PTX. `tt-read-assembly` lists the instructions that are supported on the CPU.

    Example:

    ```mlir
    %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
        : tensor<64xi32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_ScalarOrTensor>:$args);
  let results = (outs Variadic<TT_ScalarOrTensor>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "A scalar region applied to each element";
  let description = [{
    Runs the region for every group of `pack` neighboring elements. The arguments are `pack` scalars of the first
    operand, then of the second, and so on; the region returns `pack` scalars of each result. It may have branches.

    Example:

    ```mlir
    %z = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.map_elementwise.return %c : i32
    }) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region MinSizedRegion<1>:$scalarOp);
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp
    : TT_Op<"map_elementwise.return", [HasParent<"MapElementwiseOp">, Pure, ReturnLike, Terminator]> {
  let summary = "The end of a tt.map_elementwise region";
  let description = [{
    Its operands are `pack` scalars of each result.

    Example:

    ```mlir
    tt.map_elementwise.return %c : i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // BLOCKDSL_DIALECT_TT_IR_ELEMENTWISEOPS
