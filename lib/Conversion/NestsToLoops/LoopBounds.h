//===- LoopBounds.h - Loops whose last step does not wrap ------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Gives an emitted loop as many iterations as Python's `range` of its bounds has numbers, or none if the step is not
/// positive. Returns the value that replaces the variable, since the loop may count its iterations instead.
mlir::Value boundTurns(mlir::scf::ForOp loop);

/// Does the same for all loops in a cloned op, and marks them as loops over scalars.
void boundClonedLoops(mlir::Operation *clone);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H
