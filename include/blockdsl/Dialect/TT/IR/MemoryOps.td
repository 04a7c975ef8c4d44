//===- MemoryOps.td - Pointers, loads and stores -----------*- tablegen -*-===//
// Pointer arithmetic, block pointers, loads and stores.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_MEMORYOPS
#define BLOCKDSL_DIALECT_TT_IR_MEMORYOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_AddPtrOp : TT_Op<"addptr", [Elementwise, Pure, SameOperandsAndResultShape, TT_InferType,
                                   TypesMatchWith<"result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "A pointer moved by a number of elements";
  let description = [{
    Adds `offset`, a signed number of elements of the pointee type, to `ptr`. The sum is computed in 64 bits, whatever the
    width of the offset, and wraps.

    Example:

    ```mlir
    %q = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                               TT_InferType]> {
  let summary = "A load through a pointer, a block of pointers or a block pointer";
  let description = [{
    Reads one element for every pointer. Where `mask` is false nothing is read and the result is `other`; without
    `other` it is zero, and undefined in Triton. A volatile load is neither removed, repeated nor merged with another.

    Through a block pointer, the dimensions in `boundaryCheck` are checked against the bounds of `tt.make_tensor_ptr`;
    outside of them the result is zero, or NaN if `padding` is `nan`.

    `cachePolicy` is a hint. Up to version 3.8 it is spelled `cacheModifier = cg evictionPolicy = evict_last`.

    Example:

    ```mlir
    %x = tt.load %p, %mask, %other : tensor<64x!tt.ptr<f32>>
    %y = tt.load %q {isVolatile = true} : !tt.ptr<i32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[TT_PtrLike, TT_BlockPtr]>:$ptr, Optional<TT_BoolLike>:$mask,
                       Optional<TT_AnyType>:$other, OptionalAttr<DenseI32ArrayAttr>:$boundaryCheck,
                       OptionalAttr<TT_PaddingOption>:$padding, OptionalAttr<TT_CachePolicyAttr>:$cachePolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_AnyType:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask,
                                 CArg<"::mlir::Value", "{}">:$other, CArg<"bool", "false">:$isVolatile)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_StoreOp : TT_Op<"store", []> {
  let summary = "A store through a pointer, a block of pointers or a block pointer";
  let description = [{
    Writes one element for every pointer whose `mask` is true. If two pointers are equal, either element may be written.
    Through a block pointer, elements outside of the bounds of dimensions in `boundaryCheck` are not written.

    Example:

    ```mlir
    tt.store %p, %x, %mask : tensor<64x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[TT_PtrLike, TT_BlockPtr]>, "address", [MemWrite]>:$ptr, TT_AnyType:$value,
                       Optional<TT_BoolLike>:$mask, OptionalAttr<DenseI32ArrayAttr>:$boundaryCheck,
                       OptionalAttr<TT_CachePolicyAttr>:$cachePolicy);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, CArg<"::mlir::Value", "{}">:$mask)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_MakeTensorPtrOp
    : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize,
                                TypesMatchWith<"base points to an element of the block", "result", "base",
                                               "::blockdsl::getElementPointer($_self)">]> {
  let summary = "A block pointer: a window into a strided array";
  let description = [{
    Points to the block at `offsets` in an array at `base` of the given `shape` and `strides`. `order` lists the dimensions
    from the one that varies fastest in memory. Triton has it in 3.6 and 3.7 only.

    Example:

    ```mlir
    %b = tt.make_tensor_ptr %p, [%m, %n], [%sm, %sn], [%i, %j] {order = array<i32: 1, 0>} : <tensor<16x64xf16>>
    ```
  }];
  let arguments = (ins TT_ScalarPtr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, TT_InferType,
                                     TypesMatchWith<"result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "A block pointer moved by a number of elements in each dimension";
  let description = [{
    Adds one offset per dimension. Triton has it in 3.6 and 3.7 only.

    Example:

    ```mlir
    %c = tt.advance %b, [%zero, %k] : <tensor<16x64xf16>>
    ```
  }];
  let arguments = (ins TT_BlockPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_MEMORYOPS
