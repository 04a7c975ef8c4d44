//===- PrefetchPlan.h - Prefetches of a matmul -----------------------------===//
//
// Packing is bound by memory latency: the hardware does not prefetch rows with the stride of the whole matrix. So tiles
// prefetch operands that are packed later, and numbers of the L2 cache that the next tile or the next steps use.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PREFETCHPLAN_H
#define BLOCKDSL_PLAN_PREFETCHPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

struct MatmulPlan;
class PointerAnalysis;

struct PrefetchPlan {
  /// The part of an operand that tiles prefetch into the L2 cache.
  enum class Part {
    None,
    NextTile,      ///< the rows that are packed for the tile below
    NextIteration, ///< the block that the next iteration of the surrounding loop packs
  };
  Part lhs = Part::None, rhs = Part::None;
  int64_t lines = 0; ///< the most cache lines of an operand in one iteration of the loop over the common dimension
  int64_t steps = 0; ///< how many steps before its use a vector of a panel is prefetched into the L1 cache; 0 for never
  bool sums = false; ///< the accumulators of the tile to the right are prefetched into the L1 cache

  bool isEmpty() const { return lhs == Part::None && rhs == Part::None && steps == 0 && !sums; }
};

/// Returns all prefetches that the matmul `op` in a nest can have. `hints` are strides under the assumption that no
/// remainder wraps.
PrefetchPlan findPrefetches(PointerAnalysis &hints, mlir::linalg::LinalgOp op, const MatmulPlan &matmul);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PREFETCHPLAN_H
