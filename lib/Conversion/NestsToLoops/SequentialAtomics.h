//===- SequentialAtomics.h - Atomic accesses on one thread -----*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H

#include "LaneEmitter.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

namespace blockdsl {

/// Emits the access of one element and returns the previous value; null for an op that synchronizes with other threads.
mlir::Value emitSequentialAccess(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

/// Emits the updates of all lanes in the innermost loop, without their previous values.
void emitSequentialUpdates(LaneEmitter &lanes, AtomicRMWOp op, LaneValue pointer, const LaneValue &value,
                           const std::optional<LaneValue> &mask);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H
