//===- AccumulatedMatmuls.h - Matmuls that a loop adds to a block ----------===//

#ifndef BLOCKDSL_PLAN_ACCUMULATEDMATMULS_H
#define BLOCKDSL_PLAN_ACCUMULATEDMATMULS_H

#include "blockdsl/Analysis/DemandedMask.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Returns the matmul that `loop` adds to the block it carries at `index`, and to nothing else; null if there is none.
/// It may be in a nest.
mlir::linalg::LinalgOp getAccumulated(mlir::scf::ForOp loop, unsigned index);

/// Returns true if that block is zero before the loop.
bool startsWithZero(mlir::scf::ForOp loop, unsigned index);

/// Returns the nest of the matmul that `loop` adds to its only accumulated block, if everything else in the loop is
/// scalar, so that several iterations can be multiplied together; null for other loops.
cpu::NestOp findMergeableMatmul(mlir::scf::ForOp loop);

/// Returns the elements that consumers use of a matmul, or of the block that loops do nothing with but add it.
DemandedMask getDemandedMaskOfMatmul(mlir::linalg::LinalgOp matmul);

using ValuePredicate = llvm::function_ref<bool(mlir::Value)>;

/// Returns true if `block` can be computed before the ops in front of it: from scalars that are available then and,
/// unless `mayRead`, not from memory. `isKept`: blocks that are read from memory; `given` counts as available.
bool canEvaluate(mlir::Value block, ValuePredicate isKept, ValuePredicate isAvailable, mlir::Value given = {},
                 bool mayRead = false);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_ACCUMULATEDMATMULS_H
