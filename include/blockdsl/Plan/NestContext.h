//===- NestContext.h - Inputs of the decisions about a nest ----------------===//
//
// Decisions about a nest depend only on the IR of the stage `nests` and on the target.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_NESTCONTEXT_H
#define BLOCKDSL_PLAN_NESTCONTEXT_H

#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Plan/ElementCosts.h"
#include "blockdsl/Plan/VectorOptions.h"

namespace blockdsl {

/// Returns true if `block` is in memory in the stage `nests` rather than computed by the nests that use it.
bool isInMemory(mlir::Value block);

class NestContext {
public:
  NestContext(mlir::Operation *function, VectorOptions options)
      : options(options), hints(/*assumeNoWrap=*/true), costs(function) {}

  /// Returns true if a nest reads `block` from memory. The results of `inRegisters` are not in memory yet.
  bool isInMemory(mlir::Value block) const {
    bool isPending = inRegisters && block.getDefiningOp() == inRegisters;
    return !isPending && blockdsl::isInMemory(block);
  }

  const VectorOptions options;
  PointerAnalysis hints;    ///< strides under the assumption that no remainder wraps within a block
  PointerAnalysis pointers; ///< strides that are certain
  ElementCosts costs;
  mlir::Operation *inRegisters = nullptr; ///< a matmul, or a loop around it, whose epilogue the nest may become
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_NESTCONTEXT_H
