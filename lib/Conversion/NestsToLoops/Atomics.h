//===- Atomics.h - Atomic accesses, one element after the other ------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H

#include "EmissionContext.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

namespace blockdsl {

/// Writes an atomic access of the tt dialect, on a scalar or a block.
void emitAtomic(EmissionContext &context, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICS_H
