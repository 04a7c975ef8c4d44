//===- StridedBlock.h - A block of a strided array --------------*- C++ -*-===//
// The lowered form of block pointers and tensor descriptors: a block of pointers, and a mask of the elements inside of
// the array.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// The elements of a strided array that a block holds.
struct StridedBlock {
  mlir::Value base;
  mlir::RankedTensorType type;
  // Per dimension: the indices of the block's elements (64 bits wide, of rank 1), the array's extent and stride.
  llvm::SmallVector<mlir::Value> indices, extents, strides;
};

/// The pointers to the elements of a block. The mask is null if no dimension is checked.
struct Addresses {
  mlir::Value pointers, mask;
};

/// Returns `start`, `start + 1`, ... in 64 bits: the indices of a dimension in which a block is dense.
mlir::Value createRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Value start, int64_t size);

/// Returns the addresses, and the mask of elements inside of the array along the dimensions `checked`.
Addresses createAddresses(mlir::OpBuilder &b, mlir::Location loc, const StridedBlock &block,
                          llvm::ArrayRef<int32_t> checked);

/// Returns the value of a load outside of the array: zero or NaN.
mlir::TypedAttr getPadding(mlir::Type element, PaddingOption option);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_STRIDEDBLOCK_H
