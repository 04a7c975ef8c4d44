//===- MemoryAccesses.h - Order of the memory accesses of nests ------------===//
//
// The accesses of an op, or of the computation of a block, and the pairs of them that have to stay in order. Where a
// block is kept is asked for, and not decided.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_MEMORYACCESSES_H
#define BLOCKDSL_PLAN_MEMORYACCESSES_H

#include "blockdsl/Analysis/PointerAnalysis.h"
#include "mlir/IR/Operation.h"

namespace blockdsl {

/// One access to memory that other accesses may have to stay in order with.
struct MemoryAccess {
  mlir::Value object;  ///< the argument, or the loop-carried block, that is accessed; null when unknown
  mlir::Value address; ///< the block of pointers
  bool isBuffer = false;
  bool isVolatile = false; ///< stays in order with every other one that is

  /// Whether it reads a buffer at another place than the consumer's own.
  bool isElsewhere() const { return isBuffer && !address; }
};

class MemoryAccesses {
public:
  MemoryAccesses(PointerAnalysis &pointers, bool argumentsDisjoint)
      : pointers(pointers), argumentsDisjoint(argumentsDisjoint) {}
  virtual ~MemoryAccesses() = default;

  /// Returns true if the result of a fusible op is written to a buffer where it is defined. In the stage `nests` such a
  /// block is the result of a nest.
  virtual bool isMaterialized(mlir::Value block) const { return false; }

  /// What evaluating `block` reads, down to buffered blocks. `inPlace`: for a consumer that looks where it is itself.
  void collectReads(mlir::Value block, llvm::SmallVectorImpl<MemoryAccess> &reads, bool inPlace = true) const;
  void collectAccesses(mlir::Operation *op, llvm::SmallVectorImpl<MemoryAccess> &reads,
                       llvm::SmallVectorImpl<MemoryAccess> &writes) const;
  bool mayConflict(const MemoryAccess &lhs, const MemoryAccess &rhs) const;
  /// Returns true if no op of `function` can change memory that evaluating `block` reads, and none waits for others to.
  bool isNeverWritten(mlir::Operation *function, mlir::Value block) const;
  /// What is accessed, null when it may be any memory.
  mlir::Value getObject(const MemoryAccess &access) const {
    return access.isBuffer || argumentsDisjoint ? access.object : mlir::Value();
  }
  /// Whether two accesses that conflict do so element by element: an element of one meets the same element of the
  /// other, and no other one.
  bool meetElementwise(const MemoryAccess &lhs, const MemoryAccess &rhs) const;

protected:
  PointerAnalysis &pointers;

private:
  bool argumentsDisjoint;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MEMORYACCESSES_H
