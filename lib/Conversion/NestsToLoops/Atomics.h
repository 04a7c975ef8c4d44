//===- Atomics.h - Atomic accesses of blocks -------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H

#include "EmissionContext.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

namespace blockdsl {

/// Emits an atomic access of the tt dialect to a scalar or a block.
void emitAtomic(EmissionContext &context, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H
