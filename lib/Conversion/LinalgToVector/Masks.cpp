//===- Masks.cpp - Masks as loop bounds ------------------------------------===//

#include "Masks.h"

#include "Combiner.h"
#include "Facts.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Walks a mask down its conjunctions to comparisons, and turns those into bounds.
class BoundsFinder {
public:
  using Loops = MaskBounds::Loops;
  BoundsFinder(Kernel &kernel, Evaluator &evaluator, ArrayRef<int64_t> shape, ArrayRef<bool> allowed)
      : kernel(kernel), evaluator(evaluator), shape(shape), allowed(allowed) {
    bounds.lows.resize(shape.size());
    bounds.highs.resize(shape.size());
  }

  /// The loops `view` depends on when it holds within the bounds found; nothing when part of it may still fail.
  std::optional<Loops> visit(const View &view);
  MaskBounds take() { return std::move(bounds); }

private:
  std::optional<Loops> visitBody(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops);
  std::optional<Loops> visitCompare(linalg::LinalgOp op, arith::CmpIOp compare, ArrayRef<int> loops);
  Loops none() const { return {SmallVector<bool, 4>(shape.size(), false), SmallVector<bool, 4>(shape.size(), false)}; }
  Value countBelow(Value from, Value to, bool orEqual, bool isSigned, int loop);

  Kernel &kernel;
  Evaluator &evaluator;
  ArrayRef<int64_t> shape;
  ArrayRef<bool> allowed;
  MaskBounds bounds;
};

std::optional<MaskBounds::Loops> BoundsFinder::visit(const View &view) {
  Operation *op = view.block.getDefiningOp();
  std::optional<Loops> result;
  if (!op || kernel.getBuffer(view.block))
    return std::nullopt;
  if (getConstantElement(view.block) == -1 || getConstantElement(view.block) == 1)
    return none();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    View source{expand.getSrc(), {}};
    ArrayRef<int64_t> sizes = expand.getResultType().getShape();
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      int loop = -1;
      for (int64_t dim : group) {
        if (sizes[dim] == 1)
          continue;
        if (loop != -1)
          return std::nullopt;
        loop = view.loops[dim];
      }
      source.loops.push_back(loop);
    }
    result = visit(source);
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<int, 4> loops(linalgOp.getNumLoops(), -1);
    auto self = cast<OpResult>(view.block);
    for (auto [loop, expr] : llvm::zip(view.loops, linalgOp.getIndexingMapMatchingResult(self).getResults()))
      loops[cast<AffineDimExpr>(expr).getPosition()] = loop;
    result = visitBody(linalgOp, linalgOp.getBlock()->getTerminator()->getOperand(self.getResultNumber()), loops);
  }
  if (result)
    bounds.parts.push_back({view, *result});
  return result;
}

std::optional<MaskBounds::Loops> BoundsFinder::visitBody(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != op.getBlock())
      return std::nullopt;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return std::nullopt;
    View source{operand->get(), {}};
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && cast<AffineConstantExpr>(expr).getValue() != 0)
        return std::nullopt; // a view looks at the first element
      source.loops.push_back(dim ? loops[dim.getPosition()] : -1);
    }
    return visit(source);
  }
  Operation *def = scalar.getDefiningOp();
  if (def->getBlock() != op.getBlock())
    return std::nullopt;
  if (isa<arith::AndIOp>(def)) {
    auto lhs = visitBody(op, def->getOperand(0), loops);
    auto rhs = visitBody(op, def->getOperand(1), loops);
    if (!lhs || !rhs)
      return std::nullopt;
    for (unsigned loop = 0; loop != shape.size(); ++loop) {
      lhs->dependsOn[loop] |= rhs->dependsOn[loop];
      lhs->heldBy[loop] |= rhs->heldBy[loop];
    }
    return lhs;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(def))
    return visitCompare(op, compare, loops);
  return std::nullopt;
}

/// How many of `from`, `from + 1`, ..., as many as the loop has turns, are below `to`.
Value BoundsFinder::countBelow(Value from, Value to, bool orEqual, bool isSigned, int loop) {
  LaneEmitter &lanes = evaluator.getLanes();
  OpBuilder &b = lanes.at(0);
  Location loc = lanes.getLoc();
  Type index = b.getIndexType();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  Value size = constant(shape[loop]);
  auto fits = [](Value value) { // so that a difference does not wrap
    ConstantIntRanges range = knownRange(value);
    return range.smin().getBitWidth() < 64 || (range.smin().isSignedIntN(62) && range.smax().isSignedIntN(62));
  };
  if (fits(from) && fits(to)) {
    auto widened = [&](Value value) -> Value {
      if (isa<IndexType>(value.getType()))
        return value;
      return isSigned ? Value(arith::IndexCastOp::create(b, loc, index, value))
                      : Value(arith::IndexCastUIOp::create(b, loc, index, value));
    };
    Value first = widened(from), last = widened(to);
    Value distance = arith::SubIOp::create(b, loc, last, first);
    if (orEqual)
      distance = arith::AddIOp::create(b, loc, distance, constant(1));
    Value atLeast = arith::MaxSIOp::create(b, loc, distance, constant(0));
    return arith::MinSIOp::create(b, loc, atLeast, size);
  }
  using P = arith::CmpIPredicate;
  P predicate = isSigned ? (orEqual ? P::sle : P::slt) : (orEqual ? P::ule : P::ult);
  Value any = arith::CmpIOp::create(b, loc, predicate, from, to);
  // Between numbers in order the difference is right as an unsigned one.
  Value distance = arith::SubIOp::create(b, loc, to, from);
  if (!isa<IndexType>(distance.getType()))
    distance = arith::IndexCastUIOp::create(b, loc, index, distance);
  Value count = arith::MinUIOp::create(b, loc, distance, orEqual ? constant(shape[loop] - 1) : size);
  if (orEqual)
    count = arith::AddIOp::create(b, loc, count, constant(1));
  return arith::SelectOp::create(b, loc, any, count, constant(0));
}

std::optional<MaskBounds::Loops> BoundsFinder::visitCompare(linalg::LinalgOp op, arith::CmpIOp compare,
                                                            ArrayRef<int> loops) {
  using P = arith::CmpIPredicate;
  Strides lhs = kernel.pointers.getBodyStrides(op, compare.getLhs());
  Strides rhs = kernel.pointers.getBodyStrides(op, compare.getRhs());
  int along = -1;
  int64_t step = 0;
  for (auto [loop, left, right] : llvm::zip(loops, lhs, rhs)) {
    if (loop == -1)
      continue; // one element only
    if (!left || !right)
      return std::nullopt;
    if (*left == *right)
      continue;
    if (along != -1)
      return std::nullopt;
    along = loop;
    step = *left - *right;
  }
  Loops found = none();
  P predicate = compare.getPredicate();
  bool isSigned = predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
  bool isOrder = predicate != P::eq && predicate != P::ne, moves = false;
  for (auto [loop, left] : llvm::zip(loops, lhs))
    moves |= loop != -1 && left != 0;
  // Numbers that wrap are in another order.
  if (isOrder && (moves || along != -1) &&
      (!evaluator.hasStrides(op, compare.getLhs(), isSigned) || !evaluator.hasStrides(op, compare.getRhs(), isSigned)))
    return std::nullopt;
  LaneEmitter &lanes = evaluator.getLanes();
  SmallVector<LaneValue> origin(loops.size(), lanes.constantIndex(0));
  if (along == -1) {
    // The same for the whole nest: either all of an allowed loop runs or none of it. One element makes no loop.
    for (unsigned loop = 0; loop != shape.size() && along == -1; ++loop)
      if (allowed[loop] && shape[loop] != 1)
        along = loop;
    if (along == -1)
      return std::nullopt;
    LaneValue holds = evaluator.getInBody(op, compare.getResult(), origin);
    if (!holds.isUniform() || holds.level != 0)
      return std::nullopt;
    OpBuilder &b = lanes.at(0);
    Value all = arith::ConstantIndexOp::create(b, lanes.getLoc(), shape[along]);
    Value nothing = arith::ConstantIndexOp::create(b, lanes.getLoc(), 0);
    bounds.highs[along].push_back(arith::SelectOp::create(b, lanes.getLoc(), holds.value, all, nothing));
    found.heldBy[along] = true;
    return found;
  }
  if (!allowed[along] || (step != 1 && step != -1) || !isOrder)
    return std::nullopt;
  LaneValue x = evaluator.getInBody(op, compare.getLhs(), origin);
  LaneValue y = evaluator.getInBody(op, compare.getRhs(), origin);
  if (!x.isUniform() || !y.isUniform() || x.level != 0 || y.level != 0)
    return std::nullopt;
  bool less = predicate == P::slt || predicate == P::ult || predicate == P::sle || predicate == P::ule;
  bool orEqual = predicate == P::sle || predicate == P::ule || predicate == P::sge || predicate == P::uge;
  if (step == -1) { // the right-hand side is what grows
    std::swap(x, y);
    less = !less;
  }
  // x0 + i < y0 up to the distance; x0 + i > y0 from one past it.
  (less ? bounds.highs : bounds.lows)[along].push_back(
      countBelow(x.value, y.value, /*orEqual=*/less == orEqual, isSigned, along));
  found.dependsOn[along] = found.heldBy[along] = true;
  return found;
}

} // namespace

MaskBounds computeBounds(Kernel &kernel, Evaluator &evaluator, Value mask, ArrayRef<int64_t> shape,
                         ArrayRef<bool> allowed) {
  BoundsFinder finder(kernel, evaluator, shape, allowed);
  View whole{mask, {}};
  for (auto [loop, size] : llvm::enumerate(shape))
    whole.loops.push_back(size == 1 ? -1 : static_cast<int>(loop));
  finder.visit(whole);
  return finder.take();
}

//===-- Outside a mask ------------------------------------------------------===//

namespace {
/// Whether the value is the same wherever the loops of `op` are along `axis`.
bool isUniformAlong(linalg::LinalgOp op, Value scalar, int axis) {
  if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!isa<RankedTensorType>(operand->get().getType()) || !map.isFunctionOfDim(axis))
      return true;
    auto source = operand->get().getDefiningOp<linalg::LinalgOp>();
    if (!map.isIdentity() || !source || !BufferPlan::isLazy(source))
      return false;
    unsigned index = cast<OpResult>(operand->get()).getResultNumber();
    return isa<linalg::FillOp>(source.getOperation()) ||
           isUniformAlong(source, source.getBlock()->getTerminator()->getOperand(index), axis);
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock())
    return true;
  return def->getNumRegions() == 0 && isMemoryEffectFree(def) && !isa<linalg::IndexOp>(def) &&
         llvm::all_of(def->getOperands(), [&](Value operand) { return isUniformAlong(op, operand, axis); });
}

/// What values are outside one mask; each block is asked once.
class Outside {
public:
  /// Along `axis`, one number that is the same for all may be taken from -inf.
  explicit Outside(Value mask, int axis = -1, bool isSubtracted = true)
      : mask(mask), axis(axis), isSubtracted(isSubtracted) {}
  /// What a scalar of an operation on blocks is at the elements outside.
  TypedAttr ofBody(linalg::LinalgOp op, Value scalar);
  TypedAttr of(Value block) {
    if (auto found = known.find(block); found != known.end())
      return found->second;
    TypedAttr constant = compute(block);
    return known[block] = constant;
  }

  /// The number taken from -inf, in the body of an operation; null if there is none.
  std::pair<linalg::LinalgOp, Value> getSubtrahend() const { return subtrahend; }

private:
  TypedAttr compute(Value block);
  Value mask;
  int axis;
  bool isSubtracted; ///< the number is neither -inf nor NaN
  std::pair<linalg::LinalgOp, Value> subtrahend;
  llvm::DenseMap<Value, TypedAttr> known;
};
} // namespace

TypedAttr getOutside(Value block, Value mask) { return Outside(mask).of(block); }

std::optional<OutsideElements> getOutsideOfReduced(Operation *combiner, Value block, int axis, Value mask) {
  Outside outside(mask, axis);
  OutsideElements found{outside.of(block), nullptr, Value(), TypedAttr()};
  if (!isNeutral(combiner, found.constant))
    return std::nullopt;
  std::tie(found.op, found.subtrahend) = outside.getSubtrahend();
  if (!found.subtrahend)
    return found;
  found.otherwise = Outside(mask, axis, /*isSubtracted=*/false).of(block);
  auto number = dyn_cast_or_null<FloatAttr>(found.otherwise);
  // NaN is what it is however often it is added; another number is not.
  if (!isNeutral(combiner, found.otherwise) && !(number && number.getValue().isNaN()))
    return std::nullopt;
  return found;
}

TypedAttr Outside::compute(Value block) {
  if (block == mask)
    return IntegerAttr::get(IntegerType::get(block.getContext(), 1), 0);
  DenseElementsAttr elements;
  if (matchPattern(block, m_Constant(&elements)))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>() : TypedAttr();
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || !BufferPlan::isLazy(op))
    return {};
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation())) {
    TypedAttr constant;
    return matchPattern(fill.getInputs()[0], m_Constant(&constant)) ? constant : TypedAttr();
  }
  unsigned index = cast<OpResult>(block).getResultNumber();
  return ofBody(op, op.getBlock()->getTerminator()->getOperand(index));
}

TypedAttr Outside::ofBody(linalg::LinalgOp op, Value scalar) {
  TypedAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return constant;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != op.getBlock())
      return {};
    OpOperand *operand = op.getMatchingOpOperand(argument);
    Value source = operand->get();
    // Elsewhere than at the same element, only what is constant throughout is known.
    if (!op.getMatchingIndexingMap(operand).isIdentity() && !matchPattern(source, m_Constant()))
      return {};
    return isa<RankedTensorType>(source.getType()) ? of(source) : TypedAttr();
  }
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
  if (!llvm::all_of(operands, [](Attribute attribute) { return static_cast<bool>(attribute); }))
    return {};
  SmallVector<OpFoldResult> folded;
  if (failed(def->fold(operands, folded)) || folded.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(folded[0]))
    return dyn_cast<TypedAttr>(attribute);
  // Folded to one of its operands.
  for (auto [index, operand] : llvm::enumerate(def->getOperands()))
    if (operand == cast<Value>(folded[0]))
      return dyn_cast<TypedAttr>(operands[index]);
  return {};
}

/// Whether a neutral element leaves alone what a loop starts with and what it becomes. +0.0 makes another number of
/// -0.0, and the infinity that maxnumf ignores one of NaN; but what starts otherwise never gets there.
static bool staysUnder(Operation *combiner, BlockArgument carried) {
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

bool keepsOutside(Value block, BlockArgument carried, Value mask) {
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || !BufferPlan::isLazy(op) || op->getNumResults() != 1)
    return false;
  auto isCarried = [&](Value scalar) {
    auto argument = dyn_cast<BlockArgument>(scalar);
    OpOperand *operand = argument && argument.getOwner() == op.getBlock() ? op.getMatchingOpOperand(argument) : nullptr;
    return operand && operand->get() == carried && op.getMatchingIndexingMap(operand).isIdentity();
  };
  Operation *last = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getBlock() != op.getBlock() || last->getNumResults() != 1)
    return false;
  Outside outside(mask);
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    auto holds = dyn_cast_or_null<IntegerAttr>(outside.ofBody(op, select.getCondition()));
    return holds && holds.getValue().isZero() && isCarried(select.getFalseValue());
  }
  if (last->getNumOperands() != 2)
    return false;
  for (unsigned side : {0, 1})
    if (isCarried(last->getOperand(side)) && isNeutral(last, outside.ofBody(op, last->getOperand(1 - side))))
      return staysUnder(last, carried);
  return false;
}

llvm::SetVector<Value> findMasks(Value block) {
  llvm::SetVector<Value> masks;
  llvm::SetVector<Value> seen;
  seen.insert(block);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(block.getType()).getShape();
  for (unsigned next = 0; next < seen.size(); ++next) {
    auto op = seen[next].getDefiningOp<linalg::LinalgOp>();
    if (!op || !BufferPlan::isLazy(op))
      continue;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || type.getShape() != shape)
        continue;
      seen.insert(operand);
      if (type.getElementType().isInteger(1))
        masks.insert(operand);
    }
  }
  return masks;
}

} // namespace blockdsl
