//===- MemoryAccesses.h - Order of the memory accesses of nests ------------===//
//
// The memory accesses of an op or of the computation of a block, and the pairs of accesses that have to stay in order.
// Subclasses decide which blocks are materialized.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_MEMORYACCESSES_H
#define BLOCKDSL_PLAN_MEMORYACCESSES_H

#include "blockdsl/Analysis/PointerAnalysis.h"
#include "mlir/IR/Operation.h"

namespace blockdsl {

/// A memory access that may have to stay in order with others.
struct MemoryAccess {
  mlir::Value object;  ///< the accessed function argument or block; null if unknown
  mlir::Value address; ///< the block of pointers
  bool isBuffer = false;
  bool isVolatile = false; ///< stays in order with every other volatile access

  /// Returns true for a read of a buffer at another index than the consumer's.
  bool isElsewhere() const { return isBuffer && !address; }
};

class MemoryAccesses {
public:
  MemoryAccesses(PointerAnalysis &pointers, bool argumentsDisjoint)
      : pointers(pointers), argumentsDisjoint(argumentsDisjoint) {}
  virtual ~MemoryAccesses() = default;

  /// Returns true if the result of a fusible op is written to a buffer where it is defined. In the stage `nests` those
  /// blocks are results of nests instead.
  virtual bool isMaterialized(mlir::Value block) const { return false; }

  /// Adds the reads of evaluating `block`, down to materialized blocks. `inPlace`: the consumer reads each element at
  /// its own index.
  void collectReads(mlir::Value block, llvm::SmallVectorImpl<MemoryAccess> &reads, bool inPlace = true) const;
  void collectAccesses(mlir::Operation *op, llvm::SmallVectorImpl<MemoryAccess> &reads,
                       llvm::SmallVectorImpl<MemoryAccess> &writes) const;
  bool mayConflict(const MemoryAccess &lhs, const MemoryAccess &rhs) const;
  /// Returns true if no op of `function` can change memory that evaluating `block` reads, and no atomic access
  /// synchronizes with other programs.
  bool isNeverWritten(mlir::Operation *function, mlir::Value block) const;
  /// Returns the accessed object; null if it may be any memory.
  mlir::Value getObject(const MemoryAccess &access) const {
    return access.isBuffer || argumentsDisjoint ? access.object : mlir::Value();
  }
  /// Returns true if an element of one access can only conflict with the same element of the other.
  bool meetElementwise(const MemoryAccess &lhs, const MemoryAccess &rhs) const;

protected:
  PointerAnalysis &pointers;

private:
  bool argumentsDisjoint;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MEMORYACCESSES_H
