//===- PlanContext.h - Inputs of the decisions about a kernel ------------===//
//
// A decision depends on the kernel's IR, the target, the analyses, and on what the plan so far puts in memory. It does
// not depend on emitted code: no decision holds a builder.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PLANCONTEXT_H
#define BLOCKDSL_PLAN_PLANCONTEXT_H

#include "blockdsl/Plan/MaterializationPlan.h"
#include "blockdsl/Plan/VectorOptions.h"

namespace blockdsl {

class PlanContext {
public:
  PlanContext(mlir::Operation *function, PointerAnalysis &pointers, bool argumentsDisjoint, VectorOptions options)
      : options(options), pointers(pointers), hints(/*assumeNoWrap=*/true),
        storage(function, pointers, argumentsDisjoint) {}

  /// Returns true if `block` is read from memory at this point of the plan.
  bool isInMemory(mlir::Value block) const;
  void setInMemory(mlir::Value block) { inMemory.insert(block); }
  /// Returns true if the code planned so far computes `scalar`.
  bool isAvailable(mlir::Value scalar) const { return available.contains(scalar); }
  void setAvailable(mlir::Value scalar) { available.insert(scalar); }
  /// Marks blocks as in memory, and scalars as available.
  void setComputed(mlir::ValueRange values);

  const VectorOptions options;
  PointerAnalysis &pointers; ///< facts
  PointerAnalysis hints;     ///< the same, if no remainder wraps within a block
  MaterializationPlan storage;

private:
  llvm::DenseSet<mlir::Value> inMemory, available;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANCONTEXT_H
