//===- LoopBounds.h - Loops whose last step does not wrap ------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace blockdsl {

/// Returns the upper bound of a loop, or the lower one if the step is not positive: such a loop has no iteration.
mlir::Value limitByStep(mlir::ImplicitLocOpBuilder &b, mlir::Value low, mlir::Value high, mlir::Value step,
                        bool isUnsigned);

/// Returns the number of iterations of a loop whose step is positive unless it has none: the distance between its
/// bounds in steps, which is exact as an unsigned number of their type.
mlir::Value countIterations(mlir::ImplicitLocOpBuilder &b, mlir::Value low, mlir::Value high, mlir::Value step,
                            bool isUnsigned);

/// Gives an emitted loop as many iterations as Python's `range` of its bounds has numbers, or none if the step is not
/// positive. Returns the value that replaces the variable, since the loop may count its iterations instead.
mlir::Value boundIterations(mlir::scf::ForOp loop);

/// Does the same for all loops in a cloned op, and marks them as loops over scalars.
void boundClonedLoops(mlir::Operation *clone);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPBOUNDS_H
