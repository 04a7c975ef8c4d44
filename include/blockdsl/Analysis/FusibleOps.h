//===- FusibleOps.h - Ops that are computed inside their consumers' loops --===//
//
// Properties of single ops in linalg form. Whether an op is in fact fused into its consumers is a decision of
// MaterializationPlan and not made here.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_FUSIBLEOPS_H
#define BLOCKDSL_ANALYSIS_FUSIBLEOPS_H

#include "mlir/IR/Operation.h"

namespace blockdsl {

/// Returns true if the elements of the op's block results can be computed one by one, in any loop and in any order.
bool isFusible(mlir::Operation *op);

/// Returns true if the op loads from memory whether or not its result is used.
bool hasVolatileLoad(mlir::Operation *op);

/// Returns true if the op's body has branches or loops, which run for one element at a time.
bool hasBranches(mlir::Operation *op);

/// Returns true if the op on scalars is lowered to a polynomial or a call.
bool isTranscendental(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_FUSIBLEOPS_H
