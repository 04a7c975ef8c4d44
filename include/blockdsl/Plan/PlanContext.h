//===- PlanContext.h - State of the plan of a kernel -----------------------===//
//
// Inputs of the planner: the kernel's IR, and the blocks that the plan so far puts in memory. The planner does not
// depend on the target.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PLANCONTEXT_H
#define BLOCKDSL_PLAN_PLANCONTEXT_H

#include "blockdsl/Plan/MaterializationPlan.h"

namespace blockdsl {

class PlanContext {
public:
  PlanContext(mlir::Operation *function, PointerAnalysis &pointers, bool argumentsDisjoint)
      : storage(function, pointers, argumentsDisjoint) {}

  /// Returns true if `block` is read from memory at this point of the plan.
  bool isInMemory(mlir::Value block) const;
  void setInMemory(mlir::Value block) { inMemory.insert(block); }
  /// Returns true if the code planned so far computes `scalar`.
  bool isAvailable(mlir::Value scalar) const { return available.contains(scalar); }
  void setAvailable(mlir::Value scalar) { available.insert(scalar); }
  /// Marks blocks as in memory, and scalars as available.
  void setComputed(mlir::ValueRange values);

  MaterializationPlan storage;

private:
  llvm::DenseSet<mlir::Value> inMemory, available;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANCONTEXT_H
