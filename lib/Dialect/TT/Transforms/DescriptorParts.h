//===- DescriptorParts.h - values that replace a descriptor -----*- C++ -*-===//
// The values that a tensor descriptor is taken apart into, and how they go where it went.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Transforms/DialectConversion.h"

namespace blockdsl {

/// The values that stand for a descriptor, in this order.
struct DescriptorParts {
  DescriptorParts(TensorDescType type, mlir::ValueRange values);
  mlir::Value base;
  mlir::ValueRange extents, strides;
  mlir::Value isPaddedWithNaN;
  // Does a load round f32 to TF32? Null where descriptors do not say.
  mlir::Value isRounded;
};

/// A descriptor's parts as types. `asTriton` has extents of 64 bits and a flag for rounding.
struct DescriptorConverter : mlir::TypeConverter {
  explicit DescriptorConverter(bool asTriton);
  const bool asTriton;
};

/// Has descriptors go in parts through functions, calls, branches, selections and poison.
void populateDescriptorFlow(const DescriptorConverter &converter, mlir::RewritePatternSet &patterns);

/// An error at the first op that takes or gives a descriptor and for which there is no pattern.
mlir::LogicalResult verifyDescriptorFlow(mlir::Operation *root);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H
