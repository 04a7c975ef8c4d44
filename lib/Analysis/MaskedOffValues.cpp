//===- MaskedOffValues.cpp - Values of the elements that a mask rules out --===//

#include "blockdsl/Analysis/MaskedOffValues.h"

#include "blockdsl/Analysis/BlockEquivalence.h"
#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

namespace {
/// Returns true if a scalar of the body of `op` has the same value in all iterations along `axis`.
bool isUniformAlong(linalg::LinalgOp op, Value scalar, int axis) {
  if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!isa<RankedTensorType>(operand->get().getType()) || !map.isFunctionOfDim(axis))
      return true;
    Value block = getDefinition(operand->get());
    auto source = block.getDefiningOp<linalg::LinalgOp>();
    if (!map.isIdentity() || !source || !isFusible(source))
      return false;
    unsigned index = cast<OpResult>(block).getResultNumber();
    return isa<linalg::FillOp>(source.getOperation()) ||
           isUniformAlong(source, source.getBlock()->getTerminator()->getOperand(index), axis);
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock())
    return true;
  return def->getNumRegions() == 0 && isMemoryEffectFree(def) && !isa<linalg::IndexOp>(def) &&
         llvm::all_of(def->getOperands(), [&](Value operand) { return isUniformAlong(op, operand, axis); });
}

/// Evaluates blocks at the elements that one mask rules out. Results are cached.
class MaskedOffEvaluator {
public:
  /// `axis`: the dimension of a reduction, along which one number may be subtracted from -inf. Other users pass -1.
  explicit MaskedOffEvaluator(Value mask, int axis = -1, bool isSubtracted = true)
      : mask(getDefinition(mask)), axis(axis), isSubtracted(isSubtracted) {}
  /// Returns the value of a scalar of the body of `op`, or null.
  TypedAttr ofBody(linalg::LinalgOp op, Value scalar);
  TypedAttr of(Value block) {
    block = getDefinition(block);
    if (auto found = known.find(block); found != known.end())
      return found->second;
    TypedAttr constant = compute(block);
    return known[block] = constant;
  }

  /// Returns the number subtracted from -inf, a scalar of the body of an op; null if there is none.
  std::pair<linalg::LinalgOp, Value> getSubtrahend() const { return subtrahend; }

private:
  TypedAttr compute(Value block);
  TypedAttr ofArgument(linalg::LinalgOp op, BlockArgument argument);
  /// Returns true if `block` is the mask, or the copy of it in a nest.
  bool isMask(Value block) {
    if (block == mask)
      return true;
    auto isInNest = [](Value value) { return isa_and_nonnull<cpu::NestOp>(value.getParentBlock()->getParentOp()); };
    return block.getType() == mask.getType() && (isInNest(block) || isInNest(mask)) &&
           equivalence.areEquivalent(block, mask);
  }

  Value mask;
  int axis;
  bool isSubtracted; ///< assume that the number is neither -inf nor NaN
  std::pair<linalg::LinalgOp, Value> subtrahend;
  llvm::DenseMap<Value, TypedAttr> known;
  BlockEquivalence equivalence;
};
} // namespace

TypedAttr getMaskedOffValue(Value block, Value mask) { return MaskedOffEvaluator(mask).of(block); }

std::optional<MaskedOffElements> getMaskedOffInReduction(Operation *combiner, Value block, int axis, Value mask) {
  MaskedOffEvaluator evaluator(mask, axis);
  MaskedOffElements found{evaluator.of(block), nullptr, Value(), TypedAttr()};
  if (!isNeutral(combiner, found.constant))
    return std::nullopt;
  std::tie(found.op, found.subtrahend) = evaluator.getSubtrahend();
  if (!found.subtrahend)
    return found;
  found.otherwise = MaskedOffEvaluator(mask, axis, /*isSubtracted=*/false).of(block);
  auto number = dyn_cast_or_null<FloatAttr>(found.otherwise);
  // NaN may be skipped too: one NaN makes the result NaN, however many are combined.
  if (!isNeutral(combiner, found.otherwise) && !(number && number.getValue().isNaN()))
    return std::nullopt;
  return found;
}

TypedAttr MaskedOffEvaluator::compute(Value block) {
  if (isMask(block))
    return IntegerAttr::get(IntegerType::get(block.getContext(), 1), 0);
  DenseElementsAttr elements;
  if (matchPattern(block, m_Constant(&elements)))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>() : TypedAttr();
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || !isFusible(op))
    return {};
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation())) {
    TypedAttr constant;
    return matchPattern(fill.getInputs()[0], m_Constant(&constant)) ? constant : TypedAttr();
  }
  unsigned index = cast<OpResult>(block).getResultNumber();
  return ofBody(op, op.getBlock()->getTerminator()->getOperand(index));
}

TypedAttr MaskedOffEvaluator::ofArgument(linalg::LinalgOp op, BlockArgument argument) {
  if (argument.getOwner() != op.getBlock())
    return {};
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value source = operand->get();
  // The mask only applies to the element of the same index.
  if (!op.getMatchingIndexingMap(operand).isIdentity() && !matchPattern(source, m_Constant()))
    return {};
  return isa<RankedTensorType>(source.getType()) ? of(source) : TypedAttr();
}

/// Folds an op on constants.
static TypedAttr fold(Operation *def, ArrayRef<Attribute> operands) {
  if (!llvm::all_of(operands, [](Attribute attribute) { return static_cast<bool>(attribute); }))
    return {};
  SmallVector<OpFoldResult> folded;
  if (failed(def->fold(operands, folded)) || folded.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(folded[0]))
    return dyn_cast<TypedAttr>(attribute);
  // The fold returned one of the operands.
  for (auto [index, operand] : llvm::enumerate(def->getOperands()))
    if (operand == cast<Value>(folded[0]))
      return dyn_cast<TypedAttr>(operands[index]);
  return {};
}

TypedAttr MaskedOffEvaluator::ofBody(linalg::LinalgOp op, Value scalar) {
  TypedAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return constant;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return ofArgument(op, argument);
  Operation *def = scalar.getDefiningOp();
  if (def->getBlock() != op.getBlock() || def->getNumRegions() != 0 || def->getNumResults() != 1)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : def->getOperands())
    operands.push_back(ofBody(op, operand));
  auto isFalse = [](Attribute attribute) {
    auto flag = dyn_cast_or_null<IntegerAttr>(attribute);
    return flag && flag.getValue().isZero();
  };
  if (auto load = dyn_cast<LoadOp>(def)) {
    if (!load.getMask() || !isFalse(operands[1]))
      return {};
    if (load.getOther())
      return dyn_cast_or_null<TypedAttr>(operands[2]);
    return dyn_cast_or_null<TypedAttr>(Builder(def->getContext()).getZeroAttr(load.getType()));
  }
  if (isa<arith::SelectOp>(def) && isFalse(operands[0]))
    return dyn_cast_or_null<TypedAttr>(operands[2]);
  if (isa<arith::AndIOp>(def) && (isFalse(operands[0]) || isFalse(operands[1])))
    return IntegerAttr::get(def->getResult(0).getType(), 0);
  auto isMinusInfinity = [](Attribute attribute) {
    auto number = dyn_cast_or_null<FloatAttr>(attribute);
    return number && number.getValue().isInfinity() && number.getValue().isNegative();
  };
  // -inf - x is -inf unless x is -inf or NaN.
  if (isa<arith::SubFOp>(def) && isMinusInfinity(operands[0]) && !operands[1]) {
    std::pair<linalg::LinalgOp, Value> here(op, def->getOperand(1));
    if (axis == -1 || (subtrahend.second && subtrahend != here) || !isUniformAlong(op, here.second, axis))
      return {};
    subtrahend = here;
    if (isSubtracted)
      return cast<TypedAttr>(operands[0]);
    auto type = cast<FloatType>(def->getResult(0).getType());
    return FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  }
  if (auto call = dyn_cast<ExternElementwiseOp>(def))
    if (call.getSymbol().starts_with("__nv_exp") && !call.getSymbol().contains("expm1")) {
      if (isMinusInfinity(operands[0]))
        return cast<TypedAttr>(Builder(def->getContext()).getZeroAttr(def->getResult(0).getType()));
      if (auto number = dyn_cast_or_null<FloatAttr>(operands[0]); number && number.getValue().isNaN())
        return number;
    }
  return fold(def, operands);
}

/// Returns true if combining with a neutral element keeps every value that the loop-carried block can have. +0.0
/// changes -0.0, and an infinity changes NaN under maxnumf: the block must not start with such a value.
static bool isUnchangedByNeutral(Operation *combiner, BlockArgument carried) {
  if (!isa<arith::AddFOp, arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return true;
  auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
  OpOperand *init = loop ? loop.getTiedLoopInit(carried) : nullptr;
  DenseFPElementsAttr start;
  if (!init || !matchPattern(init->get(), m_Constant(&start)) || !start.isSplat())
    return false;
  APFloat number = start.getSplatValue<APFloat>();
  return !number.isNaN() && !number.isNegZero();
}

bool keepsMaskedOff(Value block, BlockArgument carried, Value mask) {
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || !isFusible(op) || op->getNumResults() != 1)
    return false;
  auto isCarried = [&](Value scalar) {
    auto argument = dyn_cast<BlockArgument>(scalar);
    OpOperand *operand = argument && argument.getOwner() == op.getBlock() ? op.getMatchingOpOperand(argument) : nullptr;
    return operand && operand->get() == carried && op.getMatchingIndexingMap(operand).isIdentity();
  };
  Operation *last = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getBlock() != op.getBlock() || last->getNumResults() != 1)
    return false;
  MaskedOffEvaluator evaluator(mask);
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    auto holds = dyn_cast_or_null<IntegerAttr>(evaluator.ofBody(op, select.getCondition()));
    return holds && holds.getValue().isZero() && isCarried(select.getFalseValue());
  }
  if (last->getNumOperands() != 2)
    return false;
  for (unsigned side : {0, 1})
    if (isCarried(last->getOperand(side)) && isNeutral(last, evaluator.ofBody(op, last->getOperand(1 - side))))
      return isUnchangedByNeutral(last, carried);
  return false;
}

} // namespace blockdsl
