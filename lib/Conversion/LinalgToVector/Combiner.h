//===- Combiner.h - Combine regions of reductions and scans -----*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_COMBINER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_COMBINER_H

#include "Kernel.h"

namespace blockdsl {

/// The value that leaves every other one unchanged under a simple combiner; null if there is none.
mlir::TypedAttr getIdentity(mlir::Operation *combiner);
/// Whether combining with `constant` changes nothing.
bool isNeutral(mlir::Operation *combiner, mlir::TypedAttr constant);

/// Whether a region branches or loops, which only scalars can.
bool needsOneLane(mlir::Region &region);

/// Combines two sets of values, scalars or vectors, by a combine region of the kernel.
Values combine(Kernel &kernel, mlir::OpBuilder &builder, mlir::Region &region, mlir::ValueRange lhs,
               mlir::ValueRange rhs);

/// Combines the lanes of each vector until `width` are left.
Values combineLanes(Kernel &kernel, mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &region, Values vectors,
                    int64_t width);
/// Combines the lanes of each vector into one scalar.
Values combineAllLanes(Kernel &kernel, mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &region,
                       Values vectors);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_COMBINER_H
