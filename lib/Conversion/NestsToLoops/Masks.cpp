//===- Masks.cpp - Masks as loop bounds ------------------------------------===//

#include "Masks.h"

#include "Combiner.h"
#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Converts a mask that is a conjunction of comparisons to bounds.
class BoundsFinder {
public:
  using Loops = MaskBounds::Loops;
  BoundsFinder(EmissionContext &context, ElementEmitter &elementEmitter, ArrayRef<int64_t> shape,
               ArrayRef<bool> allowed)
      : context(context), elementEmitter(elementEmitter), shape(shape), allowed(allowed) {
    bounds.lows.resize(shape.size());
    bounds.highs.resize(shape.size());
  }

  /// Returns the loops of `view` if it is true within the bounds; nullopt if a part of it may still be false.
  std::optional<Loops> visit(const View &view);
  MaskBounds take() { return std::move(bounds); }

private:
  std::optional<Loops> visitBody(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops);
  std::optional<Loops> visitCompare(linalg::LinalgOp op, arith::CmpIOp compare, ArrayRef<int> loops);
  std::optional<Loops> visitInvariant(linalg::LinalgOp op, arith::CmpIOp compare, ArrayRef<LaneValue> origin);
  Loops none() const { return {SmallVector<bool, 4>(shape.size(), false), SmallVector<bool, 4>(shape.size(), false)}; }
  Value countBelow(Value from, Value to, bool orEqual, bool isSigned, int loop);

  EmissionContext &context;
  ElementEmitter &elementEmitter;
  ArrayRef<int64_t> shape;
  ArrayRef<bool> allowed;
  MaskBounds bounds;
};

/// Returns true if a nest writes `block` to a buffer.
bool isKept(Value block) {
  return llvm::any_of(block.getUses(), [](OpOperand &use) {
    auto nest = dyn_cast<cpu::NestOp>(use.getOwner()->getParentOp());
    return nest && use.getOwner() == nest.getYield() && use.getOperandNumber() < nest->getNumResults() &&
           nest.getStorage(nest->getResult(use.getOperandNumber())) == cpu::Storage::Buffer;
  });
}

std::optional<MaskBounds::Loops> BoundsFinder::visit(const View &view) {
  Operation *op = view.block.getDefiningOp();
  std::optional<Loops> result;
  // A mask that will be in a buffer must not bound a nest: later nests find no bounds in it, and would read elements
  // that were not computed.
  if (!op || context.getBuffer(view.block) || isKept(view.block))
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
        return std::nullopt; // a view implies index 0 in dimensions without loops
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

/// Returns how many of `from`, `from + 1`, ..., one for each iteration of the loop, are below `to`.
Value BoundsFinder::countBelow(Value from, Value to, bool orEqual, bool isSigned, int loop) {
  LaneEmitter &lanes = elementEmitter.getLanes();
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
  // If `from <= to`, the difference is correct as an unsigned number.
  Value distance = arith::SubIOp::create(b, loc, to, from);
  if (!isa<IndexType>(distance.getType()))
    distance = arith::IndexCastUIOp::create(b, loc, index, distance);
  Value count = arith::MinUIOp::create(b, loc, distance, orEqual ? constant(shape[loop] - 1) : size);
  if (orEqual)
    count = arith::AddIOp::create(b, loc, count, constant(1));
  return arith::SelectOp::create(b, loc, any, count, constant(0));
}

/// Adds the bound of a comparison that is the same for the whole nest: an allowed loop runs completely or not at all.
std::optional<MaskBounds::Loops> BoundsFinder::visitInvariant(linalg::LinalgOp op, arith::CmpIOp compare,
                                                              ArrayRef<LaneValue> origin) {
  LaneEmitter &lanes = elementEmitter.getLanes();
  int along = -1;
  for (unsigned loop = 0; loop != shape.size() && along == -1; ++loop)
    if (allowed[loop] && shape[loop] != 1)
      along = loop;
  if (along == -1)
    return std::nullopt;
  LaneValue holds = elementEmitter.getInBody(op, compare.getResult(), origin);
  if (!holds.isUniform() || holds.level != 0)
    return std::nullopt;
  OpBuilder &b = lanes.at(0);
  Value all = arith::ConstantIndexOp::create(b, lanes.getLoc(), shape[along]);
  Value nothing = arith::ConstantIndexOp::create(b, lanes.getLoc(), 0);
  bounds.highs[along].push_back(arith::SelectOp::create(b, lanes.getLoc(), holds.value, all, nothing));
  Loops found = none();
  found.heldBy[along] = true;
  return found;
}

std::optional<MaskBounds::Loops> BoundsFinder::visitCompare(linalg::LinalgOp op, arith::CmpIOp compare,
                                                            ArrayRef<int> loops) {
  using P = arith::CmpIPredicate;
  Strides lhs = context.pointers.getBodyStrides(op, compare.getLhs());
  Strides rhs = context.pointers.getBodyStrides(op, compare.getRhs());
  int along = -1;
  int64_t step = 0;
  for (auto [loop, left, right] : llvm::zip(loops, lhs, rhs)) {
    if (loop == -1)
      continue; // a dimension of one element
    if (!left || !right)
      return std::nullopt;
    if (*left == *right)
      continue;
    if (along != -1)
      return std::nullopt;
    along = loop;
    step = *left - *right;
  }
  P predicate = compare.getPredicate();
  bool isSigned = predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
  bool isOrder = predicate != P::eq && predicate != P::ne, moves = false;
  for (auto [loop, left] : llvm::zip(loops, lhs))
    moves |= loop != -1 && left != 0;
  // Numbers that wrap are not ordered.
  if (isOrder && (moves || along != -1) &&
      (!elementEmitter.hasStrides(op, compare.getLhs(), isSigned) ||
       !elementEmitter.hasStrides(op, compare.getRhs(), isSigned)))
    return std::nullopt;
  LaneEmitter &lanes = elementEmitter.getLanes();
  SmallVector<LaneValue> origin(loops.size(), lanes.constantIndex(0));
  if (along == -1)
    return visitInvariant(op, compare, origin);
  if (!allowed[along] || (step != 1 && step != -1) || !isOrder)
    return std::nullopt;
  LaneValue x = elementEmitter.getInBody(op, compare.getLhs(), origin);
  LaneValue y = elementEmitter.getInBody(op, compare.getRhs(), origin);
  if (!x.isUniform() || !y.isUniform() || x.level != 0 || y.level != 0)
    return std::nullopt;
  bool less = predicate == P::slt || predicate == P::ult || predicate == P::sle || predicate == P::ule;
  bool orEqual = predicate == P::sle || predicate == P::ule || predicate == P::sge || predicate == P::uge;
  if (step == -1) { // the right-hand side grows
    std::swap(x, y);
    less = !less;
  }
  // x + i < y holds for i < y - x, and x + i > y for i > y - x.
  (less ? bounds.highs : bounds.lows)[along].push_back(
      countBelow(x.value, y.value, /*orEqual=*/less == orEqual, isSigned, along));
  Loops found = none();
  found.dependsOn[along] = found.heldBy[along] = true;
  return found;
}

} // namespace

MaskBounds computeBounds(EmissionContext &context, ElementEmitter &elementEmitter, Value mask, ArrayRef<int64_t> shape,
                         ArrayRef<bool> allowed) {
  BoundsFinder finder(context, elementEmitter, shape, allowed);
  View whole{mask, {}};
  for (auto [loop, size] : llvm::enumerate(shape))
    whole.loops.push_back(size == 1 ? -1 : static_cast<int>(loop));
  finder.visit(whole);
  return finder.take();
}

} // namespace blockdsl
