//===- ElementCosts.h - Estimated work for one element of a block ----------===//
//
// A block costs the same in every nest, through all the ops it is made of, whether or not some of them are in memory by
// then: the results of nests count as the ops that the nests compute.
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
  /// Returns how many ops it takes to compute one element of `block`, of whatever kind.
  int64_t getLength(mlir::Value block);
  /// Returns true if `block` is computed from memory, and not from indices and scalars alone.
  bool isData(mlir::Value block) const;
  /// Returns the blocks that have to be in memory because too many transposes and reshapes in a row lead to them.
  llvm::ArrayRef<mlir::Value> getMovedTooOften() const { return movedTooOften; }

private:
  void countMoves(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, int64_t> costs, lengths;
  llvm::DenseMap<mlir::Value, unsigned> moves;
  llvm::SmallVector<mlir::Value> movedTooOften;
};

/// Returns true for an op that only says where elements come from: keeping its operand in memory is never worse.
bool onlyMoves(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_ELEMENTCOSTS_H
