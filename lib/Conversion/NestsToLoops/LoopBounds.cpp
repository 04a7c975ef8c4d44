//===- LoopBounds.cpp - Loops whose last step does not wrap ----------------===//
//
// An `scf.for` ends when its variable, after a step, has reached the upper bound. If the bound is closer to the largest
// number of its type than one step, the sum wraps, and the loop never ends. The number of iterations is defined all the
// same, as that of Python's `range`.
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"

#include "blockdsl/Analysis/LoopWrapping.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace blockdsl {

Value limitByStep(ImplicitLocOpBuilder &b, Value low, Value high, Value step, bool isUnsigned) {
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(low.getType(), 0));
  auto above = isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  return arith::SelectOp::create(b, arith::CmpIOp::create(b, above, step, zero), high, low);
}

Value countIterations(ImplicitLocOpBuilder &b, Value low, Value high, Value step, bool isUnsigned) {
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(b, b.getIntegerAttr(low.getType(), value)); };
  Value zero = constant(0), one = constant(1);
  auto less = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value some = arith::CmpIOp::create(b, less, low, high);
  Value last = arith::SubIOp::create(b, arith::SubIOp::create(b, high, low), one);
  // Without an iteration, the step may be zero.
  Value steps = arith::DivUIOp::create(b, last, arith::MaxUIOp::create(b, step, one));
  return arith::SelectOp::create(b, some, arith::AddIOp::create(b, steps, one), zero);
}

/// Makes `loop` count its iterations. Returns the value that replaces its variable.
static Value startAtZero(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  Value low = loop.getLowerBound(), step = loop.getStep();
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(b, b.getIntegerAttr(low.getType(), value)); };
  loop.setUpperBound(countIterations(b, low, loop.getUpperBound(), step, loop.getUnsignedCmp()));
  loop.setLowerBound(constant(0));
  loop.setStep(constant(1));
  loop.setUnsignedCmp(true);
  b.setInsertionPointToStart(loop.getBody());
  return arith::AddIOp::create(b, low, arith::MulIOp::create(b, loop.getInductionVar(), step));
}

Value boundIterations(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value low = loop.getLowerBound();
  LoopWrapping wrapping = getLoopWrapping(loop);
  if (!wrapping.isStepPositive)
    loop.setUpperBound(limitByStep(b, low, loop.getUpperBound(), loop.getStep(), loop.getUnsignedCmp()));
  if (wrapping.variable == LoopWrapping::Variable::NeverWraps)
    return loop.getInductionVar();
  if (wrapping.variable == LoopWrapping::Variable::MayWrap)
    return startAtZero(b, loop);
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(low.getType(), 0));
  loop.setUpperBound(arith::MaxSIOp::create(b, loop.getUpperBound(), zero));
  loop.setUnsignedCmp(true);
  return loop.getInductionVar();
}

void boundClonedLoops(Operation *clone) {
  clone->walk([](scf::ForOp loop) {
    loop->setAttr("blockdsl.scalar_loop", UnitAttr::get(loop.getContext()));
    Value induction = loop.getInductionVar(), variable = boundIterations(loop);
    if (variable != induction)
      induction.replaceAllUsesExcept(variable, variable.getDefiningOp()->getOperand(1).getDefiningOp());
  });
}

} // namespace blockdsl
