//===- StridedBlock.h - a block of a strided array --------------*- C++ -*-===//
// What block pointers and tensor descriptors become: a block of pointers, and a mask of what lies inside of the array.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// Which elements of a strided array a block holds.
struct StridedBlock {
  mlir::Value base;
  mlir::RankedTensorType type;
  // One a dimension: the indices of the block's elements (64 bits wide, of rank 1), the array's extent and stride.
  llvm::SmallVector<mlir::Value> indices, extents, strides;
};

/// The pointers to the elements of a block. The mask is null where nothing is checked.
struct Addresses {
  mlir::Value pointers, mask;
};

/// `start`, `start + 1`, ... in 64 bits: the indices of a dimension in which a block is dense.
mlir::Value createRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Value start, int64_t size);

/// The addresses, and the mask of what lies inside of the array in the dimensions that `checked` names.
Addresses createAddresses(mlir::OpBuilder &b, mlir::Location loc, const StridedBlock &block,
                          llvm::ArrayRef<int32_t> checked);

/// What a load gives outside of the array: zero or NaN.
mlir::TypedAttr getPadding(mlir::Type element, PaddingOption option);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H
