//===- SequentialAtomics.h - Atomic accesses without locks -----*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H

#include "LaneEmitter.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

namespace blockdsl {

/// Writes the access of one element at the builder's place and returns the value that was in memory. Null for an op
/// that waits for other threads.
mlir::Value emitSequentialAccess(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

/// Writes the updates of all lanes in the innermost loop. The values that were in memory are not wanted.
void emitSequentialUpdates(LaneEmitter &lanes, AtomicRMWOp op, LaneValue pointer, const LaneValue &value,
                           const std::optional<LaneValue> &mask);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SEQUENTIALATOMICS_H
