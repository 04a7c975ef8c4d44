//===- TTTypes.td - Types and type constraints -------------*- tablegen -*-===//
// The pointer and descriptor types, and the type constraints of ops.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TTTYPES
#define BLOCKDSL_DIALECT_TT_IR_TTTYPES

include "blockdsl/Dialect/TT/IR/TTAttrs.td"

def TT_PtrType : TypeDef<TT_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "The address of a scalar";
  let description = [{
    A pointer to a scalar, or to a pointer to one (up to Triton 3.8), or (in Triton 3.6 and 3.7) a block pointer, whose
    pointee is a block. Triton 3.9 has pointers to integers and floats only. Blocks of pointers are tensors of this
    type. The default address space is global memory. Triton 3.9 prints a name of the address space, earlier versions a
    number.

    Example:

    ```mlir
    !tt.ptr<f32>
    !tt.ptr<f32, "constant">
    tensor<64x!tt.ptr<f32>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "uint32_t":$addressSpace);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType), [{
    return $_get(pointeeType.getContext(), pointeeType, static_cast<uint32_t>(AddressSpace::Global));
  }]>];
  let skipDefaultBuilders = 0;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns true for a block pointer, the address of a whole block.
    bool isBlockPointer() const { return ::mlir::isa<::mlir::TensorType>(getPointeeType()); }
  }];
}

def TT_TensorDescType : TypeDef<TT_Dialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "A strided array in memory, read and written in blocks";
  let description = [{
    The type has the shape and the element type of the blocks; base, shape and strides of the array are in the value. An
    integer may be signed or unsigned, which matters to reductions only. Up to version 3.7 Triton spells the block as a
    tensor type.

    A descriptor parameter of a kernel is followed by parameters for the array's shape (an `i32` per dimension) and
    strides (an `i64` per dimension).

    Example:

    ```mlir
    !tt.tensordesc<16x64xf16>
    !tt.tensordesc<tensor<16x64xf16>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Returns the type of a block, whose integers are signless.
    ::mlir::RankedTensorType getBlockType() const;
  }];
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "floating-point">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_Number : AnyTypeOf<[TT_Float, TT_Int], "number">;
def TT_ScalarPtr : Type<And<[CPred<"::mlir::isa<::blockdsl::PtrType>($_self)">,
                             CPred<"!::mlir::cast<::blockdsl::PtrType>($_self).isBlockPointer()">]>,
                        "pointer", "::blockdsl::PtrType">;
def TT_BlockPtr : Type<And<[CPred<"::mlir::isa<::blockdsl::PtrType>($_self)">,
                            CPred<"::mlir::cast<::blockdsl::PtrType>($_self).isBlockPointer()">]>,
                       "block pointer", "::blockdsl::PtrType">;

def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_PtrTensor : RankedTensorOf<[TT_ScalarPtr]>;
def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_Tensor : RankedTensorOf<[TT_Number, TT_ScalarPtr]>;

def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor], "float or block of floats">;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor], "integer or block of integers">;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor], "bool or block of bools">;
def TT_PtrLike : AnyTypeOf<[TT_ScalarPtr, TT_PtrTensor], "pointer or block of pointers">;
def TT_ScalarType : AnyTypeOf<[TT_Number, TT_ScalarPtr], "scalar">;
def TT_ScalarOrTensor : AnyTypeOf<[TT_Number, TT_ScalarPtr, TT_Tensor], "scalar or block">;
def TT_AnyType : AnyTypeOf<[TT_Number, TT_ScalarPtr, TT_Tensor, TT_BlockPtr], "scalar or block">;

// Elementwise ops are also used on rank-1 vectors, after blocks have been lowered to loops.
def TT_FloatOrVector : AnyTypeOf<[TT_Float, TT_FloatTensor, VectorOfRankAndType<[1], [TT_Float]>],
                                 "float, or block or vector of floats">;
def TT_IntOrVector : AnyTypeOf<[TT_Int, TT_IntTensor, VectorOfRankAndType<[1], [TT_Int]>],
                               "integer, or block or vector of integers">;
def TT_BoolOrVector : AnyTypeOf<[I1, TT_BoolTensor, VectorOfRankAndType<[1], [I1]>],
                                "bool, or block or vector of bools">;
def TT_AnyOrVector : AnyTypeOf<[TT_Number, TT_ScalarPtr, TT_Tensor, VectorOfRankAndType<[1], [TT_Number]>],
                               "scalar, block or vector">;

#endif // BLOCKDSL_DIALECT_TT_IR_TTTYPES
