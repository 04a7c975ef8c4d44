//===- LoopWrapping.cpp - Loops whose variable may wrap --------------------===//

#include "blockdsl/Analysis/LoopWrapping.h"

#include "blockdsl/Analysis/KnownBits.h"

using namespace mlir;

namespace blockdsl {

LoopWrapping getLoopWrapping(scf::ForOp loop) {
  bool isUnsigned = loop.getUnsignedCmp();
  ConstantIntRanges steps = knownRange(loop.getStep());
  APInt least = isUnsigned ? steps.umin() : steps.smin(), most = isUnsigned ? steps.umax() : steps.smax();
  LoopWrapping result;
  result.isStepPositive = isUnsigned ? !least.isZero() : least.isStrictlyPositive();
  bool isShort = most.getActiveBits() < 63;
  if (most.isOne() ||
      (isShort && neverWraps(loop.getUpperBound(), 0, static_cast<int64_t>(most.getZExtValue()) - 1, !isUnsigned)))
    result.variable = LoopWrapping::Variable::NeverWraps;
  // No step is longer than the distance from the largest signed to the largest unsigned number.
  else if (!isUnsigned && knownRange(loop.getLowerBound()).smin().isNonNegative())
    result.variable = LoopWrapping::Variable::WrapsAsSigned;
  return result;
}

} // namespace blockdsl
