//===- Regions.h - functions that an op applies -----------------*- C++ -*-===//
// What the regions of maps, reductions and scans have in common.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H
#define BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H

#include "mlir/IR/Operation.h"

namespace blockdsl {

/// Says which op in the region of `op`, which runs as often and in such an order as suits, does more than compute.
mlir::LogicalResult verifyRegionWithoutEffects(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_IR_REGIONS_H
