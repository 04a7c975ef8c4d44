//===- MaterializationPlan.h - Tensor values that are kept in memory -----===//
//
// Blocks are computed inside the loops of their consumers by default. This plan, made once per kernel before any code
// is emitted, selects the blocks that are written to a stack buffer first, such as expensive values with several
// consumers, and loads whose memory a store would change before they are used.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_MATERIALIZATIONPLAN_H
#define BLOCKDSL_PLAN_MATERIALIZATIONPLAN_H

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Plan/ElementCosts.h"
#include "blockdsl/Plan/MemoryAccesses.h"
#include "llvm/ADT/SetVector.h"

namespace blockdsl {

/// Why a block is materialized rather than computed by each of its consumers.
enum class MaterializationReason {
  Indexed,     ///< the body of an op reads it at computed indices
  Branches,    ///< it has branches, which run element by element, and a scan or matmul consumes it
  Volatile,    ///< its load is volatile
  Overwritten, ///< a store before the consumer may clobber the memory that it loads
  Shared,      ///< it is expensive and has several consumers
  Atomic,      ///< an atomic access uses it element by element
  Loop,        ///< a loop uses it in each iteration
  Moves,       ///< it is computed through too many transposes and reshapes
  Carried,     ///< a loop overwrites a block that it reads
};

class MaterializationPlan : public MemoryAccesses {
public:
  MaterializationPlan(mlir::Operation *function, PointerAnalysis &pointers, bool argumentsDisjoint);

  /// Returns true if the result of a fusible op is written to a buffer where it is defined.
  bool isMaterialized(mlir::Value block) const override { return buffered.contains(block); }
  /// Undoes `materialize` for a block whose consumers all share the loop that computes it.
  void rematerialize(mlir::Value block) { buffered.erase(block); }
  void materialize(mlir::Value block, MaterializationReason reason) { buffered.try_emplace(block, reason); }
  MaterializationReason getReason(mlir::Value block) const { return buffered.at(block); }

  /// Returns the ops that evaluate `block`, directly or through fusible ops. A materialized fusible op is a consumer.
  const llvm::SetVector<mlir::Operation *> &getConsumers(mlir::Value block) { return consumers[block]; }

  /// Returns an estimate of the work to compute one element of `block`.
  int64_t getCost(mlir::Value block) { return costs.getCost(block); }

private:
  struct Write {
    unsigned position;
    mlir::Operation *op;
    MemoryAccess access;
  };

  void computeConsumers(mlir::Operation *op);
  bool isLongHash(mlir::Value block);
  bool isStridedAddress(mlir::Value block);
  bool isContiguousLoad(mlir::Value block);
  bool isIndex(mlir::Value block);
  std::optional<MaterializationReason> findReason(mlir::Value block, bool isIndexed);
  bool staysInPlace(mlir::Value object, mlir::Operation *consumer) const;
  bool isOvertaken(mlir::Operation *load, mlir::Operation *consumer) const;
  bool isOvertaken(const MemoryAccess &read, llvm::ArrayRef<Write> by, unsigned position,
                   mlir::Operation *consumer) const;

  ElementCosts costs;
  llvm::DenseMap<mlir::Value, MaterializationReason> buffered;
  llvm::DenseMap<mlir::Value, llvm::SetVector<mlir::Operation *>> consumers;
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  /// Writes in program order, by object; null stands for an unknown object.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Write>> writes;
  llvm::SmallVector<Write> allWrites;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MATERIALIZATIONPLAN_H
