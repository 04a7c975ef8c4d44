//===- BoundedTwice.cpp - Workaround for an LLVM bug with bounds and NaN ----===//

#include "BoundedTwice.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// Returns true if LLVM may find out that a float is not NaN. The depth is LLVM's limit.
static bool isNumber(Value value, unsigned depth = 0) {
  constexpr unsigned deepest = 6;
  if (depth == deepest)
    return false;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto number = dyn_cast<FloatAttr>(constant))
      return !number.getValue().isNaN();
    auto elements = dyn_cast<DenseFPElementsAttr>(constant);
    return elements && llvm::none_of(elements.getValues<APFloat>(), [](const APFloat &of) { return of.isNaN(); });
  }
  Operation *op = value.getDefiningOp();
  if (auto spread = dyn_cast_or_null<LLVM::ShuffleVectorOp>(op))
    return isNumber(spread.getV1(), depth + 1);
  if (auto lane = dyn_cast_or_null<LLVM::InsertElementOp>(op))
    return isNumber(lane.getValue(), depth + 1);
  if (isa_and_nonnull<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::FNegOp, LLVM::FAbsOp>(op))
    return isNumber(op->getOperand(0), depth + 1);
  if (auto choice = dyn_cast_or_null<LLVM::SelectOp>(op)) {
    // If an ordered comparison is true, its operands are not NaN.
    auto compare = choice.getCondition().getDefiningOp<LLVM::FCmpOp>();
    using Is = LLVM::FCmpPredicate;
    bool isOrdered = compare && llvm::is_contained({Is::ogt, Is::oge, Is::olt, Is::ole, Is::oeq, Is::one, Is::ord},
                                                   compare.getPredicate());
    bool isCompared = isOrdered && llvm::is_contained(compare->getOperands(), choice.getTrueValue());
    return isNumber(choice.getFalseValue(), depth + 1) && (isCompared || isNumber(choice.getTrueValue(), depth + 1));
  }
  return isa_and_nonnull<LLVM::SIToFPOp, LLVM::UIToFPOp>(op);
}

namespace {
/// A select between a constant and another value, by a comparison of a float with a bound that is not NaN. The selected
/// value need not be the compared one: LLVM looks through conversions and bitcasts.
struct Bounded {
  LLVM::SelectOp choice;
  LLVM::FCmpOp compare;
  bool isMaximum;
  bool keepsNaN; ///< for NaN the result is not the constant

  static std::optional<Bounded> of(LLVM::SelectOp choice) {
    auto compare = choice.getCondition().getDefiningOp<LLVM::FCmpOp>();
    if (!compare)
      return std::nullopt;
    auto isConstant = [](Value value) { return matchPattern(value, m_Constant()) || isNumber(value); };
    bool boundsLeft = isNumber(compare.getLhs()), constantFirst = isConstant(choice.getTrueValue());
    if (boundsLeft == isNumber(compare.getRhs()) || constantFirst == isConstant(choice.getFalseValue()))
      return std::nullopt;
    using Is = LLVM::FCmpPredicate;
    Is is = compare.getPredicate();
    bool isOrdered = llvm::is_contained({Is::ogt, Is::oge, Is::olt, Is::ole}, is);
    bool isGreater = llvm::is_contained({Is::ogt, Is::oge, Is::ugt, Is::uge}, is);
    if (!isOrdered && !isGreater && is != Is::ult && is != Is::ule)
      return std::nullopt;
    // A maximum is the constant only below the bound. For NaN an ordered comparison selects the second value.
    bool isMaximum = (isGreater != boundsLeft) != constantFirst;
    return Bounded{choice, compare, isMaximum, isOrdered == constantFirst};
  }
};

/// Hides from LLVM that bounds are not NaN.
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
  auto areKept = [&](bool isMaximum) {
    return llvm::any_of(all, [&](const Bounded &one) { return one.keepsNaN && one.isMaximum == isMaximum; });
  };
  const std::array<bool, 2> kept = {areKept(false), areKept(true)};
  for (Bounded &outer : all) {
    if (outer.keepsNaN || !kept[outer.isMaximum])
      continue;
    HiddenBounds hide(outer.choice, hidden);
    Value condition = LLVM::FCmpOp::create(hide.b, outer.compare.getPredicate(), hide(outer.compare.getLhs()),
                                           hide(outer.compare.getRhs()));
    outer.choice->setOperands({condition, hide(outer.choice.getTrueValue()), hide(outer.choice.getFalseValue())});
  }
}

} // namespace blockdsl
