//===- Regions.h - Verifier of regions on elements --------------*- C++ -*-===//
// For the regions of maps, reductions and scans.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H
#define BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H

#include "mlir/IR/Operation.h"

namespace blockdsl {

/// Emits an error if an op in the region of `op` has side effects. The region may run any number of times and in any
/// order.
mlir::LogicalResult verifyRegionWithoutEffects(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H
