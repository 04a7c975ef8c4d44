//===- LoopWrapping.h - Loops whose variable may wrap ------------*- C++ -*-===//

#ifndef BLOCKDSL_ANALYSIS_LOOPWRAPPING_H
#define BLOCKDSL_ANALYSIS_LOOPWRAPPING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// The known behavior of a loop whose last step may pass the largest number of its type.
struct LoopWrapping {
  enum class Variable {
    NeverWraps,
    WrapsAsSigned, ///< but not as an unsigned number: the lower bound is not negative
    MayWrap,
  };
  Variable variable = Variable::MayWrap;
  bool isStepPositive = false;
};

/// Returns the known behavior of the variable of `loop` at its last step.
LoopWrapping getLoopWrapping(mlir::scf::ForOp loop);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_LOOPWRAPPING_H
