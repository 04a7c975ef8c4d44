//===- OpPlacer.h - Placement of ops before and in nests -----------------===//
//
// A fusible op stays outside of the nests, before the first nest that uses it. If a single nest uses it, it is moved
// into that nest. If it is computed from a block that the same nest keeps, it is cloned into each nest that uses it.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_OPPLACER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_OPPLACER_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace blockdsl {

/// The region of a nest that is being built.
struct NestBody {
  mlir::Block *block = new mlir::Block();
  mlir::IRMapping clones; ///< clones of ops that are computed from a block that the nest keeps
};

class OpPlacer {
public:
  explicit OpPlacer(FuncOp function) : builder(function) {}

  /// Starts to place the ops of `target` and returns the block whose ops were placed before.
  mlir::Block *enter(mlir::Block &target);
  /// Ends it, and erases ops without uses that are not placed, such as those that were cloned into nests.
  void leave(mlir::Block *outer);
  /// Returns the end of the ops that are placed.
  mlir::Operation *getEnd() const { return block->getTerminator(); }

  /// Places the ops that compute `values` and are not placed yet: ops that depend on a block that the nest itself keeps
  /// are cloned into the region of `body`, others are moved before the terminator.
  void place(llvm::ArrayRef<mlir::Value> values, NestBody *body = nullptr);
  /// Places the ops that compute the values which `op` and its regions use.
  void placeOperands(mlir::Operation *op, NestBody *body = nullptr);
  /// Places `op` after its operands.
  void placeOp(mlir::Operation *op);
  /// Moves `op` to the end of the region of `body`.
  void moveInto(NestBody &body, mlir::Operation *op);
  void cloneInto(NestBody &body, mlir::Operation *op);

private:
  mlir::OpBuilder builder;
  mlir::Block *block = nullptr;
  llvm::DenseMap<mlir::Operation *, unsigned> order; ///< numbers of the ops that are not placed yet
};

/// Moves each fusible op into the nest that is its only user.
void sinkIntoNests(mlir::Block &block);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_OPPLACER_H
