//===- DescriptorParts.h - Values that replace a descriptor -----*- C++ -*-===//
// The values that replace a tensor descriptor, and the patterns that pass them in its place.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Transforms/DialectConversion.h"

namespace blockdsl {

/// The values that replace a descriptor, in this order.
struct DescriptorParts {
  DescriptorParts(TensorDescType type, mlir::ValueRange values);
  mlir::Value base;
  mlir::ValueRange extents, strides;
  mlir::Value isPaddedWithNaN;
  // Whether loads round f32 to TF32. Null if descriptors have no such flag.
  mlir::Value isRounded;
};

/// Converts a descriptor type to the types of its parts. With `asTriton`, extents have 64 bits and there is a flag for
/// rounding.
struct DescriptorConverter : mlir::TypeConverter {
  explicit DescriptorConverter(bool asTriton);
  const bool asTriton;
};

/// Adds the patterns that pass descriptors in parts through functions, calls, branches, selects and poison.
void populateDescriptorFlow(const DescriptorConverter &converter, mlir::RewritePatternSet &patterns);

/// Emits an error at the first op that uses or defines a descriptor and that no pattern converts.
mlir::LogicalResult verifyDescriptorFlow(mlir::Operation *root);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_DESCRIPTORPARTS_H
