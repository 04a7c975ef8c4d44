//===- DescriptorOps.td - Tensor descriptors ---------------*- tablegen -*-===//
// Tensor descriptors, and loads, stores and reductions through them.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_DESCRIPTOROPS
#define BLOCKDSL_DIALECT_TT_IR_DESCRIPTOROPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_MakeTensorDescriptorOp
    : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "A tensor descriptor: a strided array that is accessed in blocks";
  let description = [{
    Describes the array at `base` of the given `shape` (in elements) and `strides` (in elements, the last is 1). Loads
    through the descriptor return zero outside of the array, or NaN if `padding` is `nan`.

    Example:

    ```mlir
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f16>, <16x64xf16>
    ```
  }];
  let arguments = (ins TT_ScalarPtr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOption, "::blockdsl::PaddingOption::Zero">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load"> {
  let summary = "A load of one block of a described array";
  let description = [{
    Reads the block whose first element is at `indices`. Elements outside of the array are the descriptor's padding, and
    nothing is read for them. The result may lack leading dimensions of size 1.

    `cachePolicy` is a hint. Up to version 3.8 it is spelled `cacheModifier = cg evictionPolicy = evict_last`.

    Example:

    ```mlir
    %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDescType, "array to read", [MemRead]>:$desc, Variadic<I32>:$indices,
                       OptionalAttr<TT_CachePolicyAttr>:$cachePolicy);
  let results = (outs TT_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store"> {
  let summary = "A store of one block of a described array";
  let description = [{
    Writes the block whose first element is at `indices`; elements outside of the array are not written. The block may lack
    leading dimensions of size 1.

    Example:

    ```mlir
    tt.descriptor_store %d[%i, %j], %x : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDescType, "array to write", [MemWrite]>:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce"> {
  let summary = "A reduction of one block into a described array";
  let description = [{
    Each element inside of the array is atomically replaced by its combination with the block's element. The order among
    programs is undefined.

    Example:

    ```mlir
    tt.descriptor_reduce add, %d[%i, %j], %x : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
    ```
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind,
                       Arg<TT_TensorDescType, "array to update", [MemRead, MemWrite]>:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather"> {
  let summary = "A load of several rows of a described matrix";
  let description = [{
    Row `k` of the result is the part of the matrix's row `x_offsets[k]` that begins at column `y_offset`. The descriptor's
    block has one row.

    Example:

    ```mlir
    %x = tt.descriptor_gather %d[%rows, %j] : (!tt.tensordesc<1x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDescType, "array to read", [MemRead]>:$desc, RankedTensorOf<[I16, I32]>:$x_offsets,
                       I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter"> {
  let summary = "A store of several rows of a described matrix";
  let description = [{
    Row `k` of `src` is written to the matrix's row `x_offsets[k]`, from column `y_offset` on. If two offsets are equal,
    either row may be written. The descriptor's block has one row.

    Example:

    ```mlir
    tt.descriptor_scatter %d[%rows, %j], %x : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Arg<TT_TensorDescType, "array to write", [MemWrite]>:$desc,
                       RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_DESCRIPTOROPS
