//===- CombineRegions.cpp - Properties of combine regions ------------------===//

#include "blockdsl/Analysis/CombineRegions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

TypedAttr getIdentity(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  Builder b(combiner->getContext());
  auto number = [&](const APFloat &value) -> TypedAttr { return b.getFloatAttr(type, value); };
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    if (isa<arith::AddFOp>(combiner))
      return number(APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(combiner))
      return number(APFloat(semantics, 1));
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
      return number(APFloat::getNaN(semantics));
    if (isa<arith::MaximumFOp>(combiner))
      return number(APFloat::getInf(semantics, /*Negative=*/true));
    if (isa<arith::MinimumFOp>(combiner))
      return number(APFloat::getInf(semantics));
    return {};
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  auto of = [&](const APInt &value) -> TypedAttr { return b.getIntegerAttr(type, value); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combiner))
    return of(APInt::getZero(width));
  if (isa<arith::MulIOp>(combiner))
    return of(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combiner))
    return of(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(combiner))
    return of(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combiner))
    return of(APInt::getSignedMaxValue(width));
  return {};
}

bool isNeutral(Operation *combiner, TypedAttr constant) {
  TypedAttr identity = getIdentity(combiner);
  if (!identity || !constant)
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    if (isa<arith::AddFOp>(combiner))
      return number.getValue().isZero();
    // The identity of maxnumf is NaN, but -inf is neutral for every number too; likewise +inf for minnumf.
    if (isa<arith::MaxNumFOp, arith::MaximumFOp>(combiner))
      return number.getValue().isInfinity() && number.getValue().isNegative();
    if (isa<arith::MinNumFOp, arith::MinimumFOp>(combiner))
      return number.getValue().isInfinity() && !number.getValue().isNegative();
  }
  return identity == constant;
}

bool needsScalarCombine(Region &region) {
  return llvm::any_of(region.front(), [](Operation &op) { return op.getNumRegions() != 0; });
}

bool isFloatProduct(Region &region) {
  Block &body = region.front();
  return llvm::hasNItems(body.without_terminator(), 1) && isa<arith::MulFOp>(body.front());
}

} // namespace blockdsl
