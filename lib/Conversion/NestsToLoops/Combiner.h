//===- Combiner.h - Code of combine regions ---------------------*- C++ -*-===//
//
// Emits the combine regions of reductions and scans for scalars and vectors.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_COMBINER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_COMBINER_H

#include "EmissionContext.h"
#include "blockdsl/Analysis/CombineRegions.h"

namespace blockdsl {

/// Combines two sets of values, scalars or vectors, by a combine region of the kernel.
Values combine(EmissionContext &context, mlir::OpBuilder &builder, mlir::Region &region, mlir::ValueRange lhs,
               mlir::ValueRange rhs);

/// Combines the lanes of each vector until `width` are left.
Values combineLanes(EmissionContext &context, mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &region,
                    Values vectors, int64_t width);
/// Combines the lanes of each vector into one scalar.
Values combineAllLanes(EmissionContext &context, mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &region,
                       Values vectors);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_COMBINER_H
