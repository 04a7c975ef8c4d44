//===- BoundedTwice.cpp - A fault of LLVM's about bounds and NaN ------------===//

#include "BoundedTwice.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// Is a float no NaN, as LLVM may find out?
static bool isNumber(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto number = dyn_cast<FloatAttr>(constant))
      return !number.getValue().isNaN();
    auto elements = dyn_cast<DenseFPElementsAttr>(constant);
    return elements && llvm::none_of(elements.getValues<APFloat>(), [](const APFloat &of) { return of.isNaN(); });
  }
  Operation *op = value.getDefiningOp();
  if (auto spread = dyn_cast_or_null<LLVM::ShuffleVectorOp>(op))
    return isNumber(spread.getV1());
  if (auto lane = dyn_cast_or_null<LLVM::InsertElementOp>(op))
    return isNumber(lane.getValue());
  if (isa_and_nonnull<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::FNegOp, LLVM::FAbsOp>(op))
    return isNumber(op->getOperand(0));
  return isa_and_nonnull<LLVM::SIToFPOp, LLVM::UIToFPOp>(op);
}

/// What is compared in place of a float: LLVM compares what was widened as it was before.
static Value narrowest(Value compared) {
  while (auto widened = compared.getDefiningOp<LLVM::FPExtOp>())
    compared = widened.getArg();
  return compared;
}

namespace {
/// A choice of the larger or smaller of a float and a bound that is a number.
struct Bounded {
  LLVM::SelectOp choice;
  LLVM::FCmpOp compare;
  bool isMaximum;
  bool keepsNaN; ///< of a NaN it gives NaN, else the bound

  static std::optional<Bounded> of(LLVM::SelectOp choice) {
    auto compare = choice.getCondition().getDefiningOp<LLVM::FCmpOp>();
    if (!compare)
      return std::nullopt;
    Value first = choice.getTrueValue(), second = choice.getFalseValue();
    Value left = narrowest(compare.getLhs()), right = narrowest(compare.getRhs());
    auto areSame = [](Value one, Value other) { return one == other || (isNumber(one) && isNumber(other)); };
    bool isStraight = areSame(first, left) && areSame(second, right);
    if (isNumber(first) == isNumber(second) || (!isStraight && !(areSame(first, right) && areSame(second, left))))
      return std::nullopt;
    using Is = LLVM::FCmpPredicate;
    Is is = compare.getPredicate();
    bool isOrdered = llvm::is_contained({Is::ogt, Is::oge, Is::olt, Is::ole}, is);
    bool isGreater = llvm::is_contained({Is::ogt, Is::oge, Is::ugt, Is::uge}, is);
    if (!isOrdered && !isGreater && is != Is::ult && is != Is::ule)
      return std::nullopt;
    return Bounded{choice, compare, isGreater == isStraight, !isNumber(isOrdered ? second : first)};
  }
};

/// Bounds of which LLVM does not know that they are numbers.
class HiddenBounds {
public:
  HiddenBounds(Operation *before, HiddenZeros &zeros) : b(before->getLoc(), before), zeros(zeros) {}

  Value operator()(Value operand) {
    if (!isNumber(operand))
      return operand;
    Value &hidden = known[operand];
    if (!hidden) {
      Type type = operand.getType(), bits = b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
      if (auto vector = dyn_cast<VectorType>(type))
        bits = vector.clone(bits);
      hidden = LLVM::BitcastOp::create(b, type, zeros.joined(b, LLVM::BitcastOp::create(b, bits, operand)));
    }
    return hidden;
  }

  ImplicitLocOpBuilder b;

private:
  HiddenZeros &zeros;
  llvm::SmallDenseMap<Value, Value> known;
};
} // namespace

void boundedTwice(LLVM::LLVMFuncOp function, HiddenZeros &hidden) {
  SmallVector<Bounded> all;
  function.walk([&](LLVM::SelectOp choice) {
    if (auto bounded = Bounded::of(choice))
      all.push_back(*bounded);
  });
  auto meets = [&](const Bounded &outer) {
    return !outer.keepsNaN &&
           llvm::any_of(all, [&](const Bounded &one) { return one.keepsNaN && one.isMaximum == outer.isMaximum; });
  };
  for (Bounded &outer : all) {
    if (!meets(outer))
      continue;
    HiddenBounds hide(outer.choice, hidden);
    Value condition = LLVM::FCmpOp::create(hide.b, outer.compare.getPredicate(), hide(outer.compare.getLhs()),
                                           hide(outer.compare.getRhs()));
    outer.choice->setOperands({condition, hide(outer.choice.getTrueValue()), hide(outer.choice.getFalseValue())});
  }
}

} // namespace blockdsl
