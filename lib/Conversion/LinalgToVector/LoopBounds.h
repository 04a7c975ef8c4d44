//===- LoopBounds.h - Loops whose last step does not wrap ------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPBOUNDS_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPBOUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Gives an emitted loop as many turns as there are numbers between its bounds, wherever they lie. A step that comes at
/// run time and is not positive gives none. Returns what stands for the variable: the loop may count its turns instead.
mlir::Value boundTurns(mlir::scf::ForOp loop);

/// The same for all loops in an op that was cloned as it is; they are over scalars, and marked so.
void boundClonedLoops(mlir::Operation *clone);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPBOUNDS_H
