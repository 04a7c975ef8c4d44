//===- EpilogueFusion.h - Fusion of a matmul with the nest that stores it ---===//
//
// A loop that adds products to a block starts, as a rule, with zeros, and what follows it stores the block. Left to
// loops of their own, both are passes over memory in which nothing is multiplied. So the first turn's tiles start with
// zeros in registers, and the last turn's tiles are stored as soon as they are complete.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_EPILOGUEFUSION_H
#define BLOCKDSL_PLAN_EPILOGUEFUSION_H

#include "blockdsl/Plan/Plan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// The product that `loop` adds to the block it carries at `index` and uses for nothing else; null if there is none.
mlir::linalg::LinalgOp getAccumulated(mlir::scf::ForOp loop, unsigned index);

/// Whether that block is zero before the loop.
bool startsWithZero(mlir::scf::ForOp loop, unsigned index);

/// Whether `block` can be evaluated before what comes before it in the program has been written: it takes only scalars
/// that are there, and, unless `mayRead`, no memory. `given` counts as there.
bool canEvaluate(PlanContext &context, mlir::Value block, mlir::Value given = {}, bool mayRead = false);

/// What consumers look at of a product, or of the block that loops do nothing with but add it.
DemandedMask getDemandedMaskOfProduct(mlir::linalg::LinalgOp product);

/// The product, in the unit `sums` or on the last turn of the loop that it is, whose tiles `stores`, the unit after it,
/// can store one by one; null if there is none.
mlir::linalg::LinalgOp findStoredProduct(PlanContext &context, const FusionGroup &sums, const FusionGroup &stores);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_EPILOGUEFUSION_H
