//===- ElementCosts.h - Estimated work for one element of a block ----------===//
//
// The cost of a block includes all fusible ops that it is computed from. Results of nests count as the ops that the
// nests compute, so that a cost does not depend on which blocks are in memory.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_ELEMENTCOSTS_H
#define BLOCKDSL_PLAN_ELEMENTCOSTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace blockdsl {

class ElementCosts {
public:
  explicit ElementCosts(mlir::Operation *function);

  /// Returns an estimate of the work to compute one element of `block`; loads count 4, transcendental functions 16.
  int64_t getCost(mlir::Value block);
  /// Returns the number of ops, of any kind, that compute one element of `block`.
  int64_t getLength(mlir::Value block);
  /// Returns true unless `block` is computed from indices and scalars alone.
  bool isData(mlir::Value block) const;
  /// Returns the blocks to materialize because they are computed through too many transposes and reshapes.
  llvm::ArrayRef<mlir::Value> getMovedTooOften() const { return movedTooOften; }

private:
  void countMoves(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, int64_t> costs, lengths;
  llvm::DenseMap<mlir::Value, unsigned> moves;
  llvm::SmallVector<mlir::Value> movedTooOften;
};

/// Returns true for an op that only moves elements: materializing its operand is never worse than its result.
bool onlyMoves(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_ELEMENTCOSTS_H
