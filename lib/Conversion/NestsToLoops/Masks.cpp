//===- Masks.cpp - Masks as loop bounds ------------------------------------===//

#include "Masks.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

/// Returns how many of `from`, `from + 1`, ..., one for each iteration of the loop, are below `to`.
static Value countBelow(LaneEmitter &lanes, Value from, Value to, bool orEqual, bool isSigned, int64_t extent) {
  OpBuilder &b = lanes.at(0);
  Location loc = lanes.getLoc();
  Type index = b.getIndexType();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  Value size = constant(extent);
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
  Value count = arith::MinUIOp::create(b, loc, distance, orEqual ? constant(extent - 1) : size);
  if (orEqual)
    count = arith::AddIOp::create(b, loc, count, constant(1));
  return arith::SelectOp::create(b, loc, any, count, constant(0));
}

/// Emits the number of a bound, and adds it to `bounds`. Returns false if it is not known before the nest.
static bool emitBound(ElementEmitter &elementEmitter, const MaskBound &bound, int64_t extent, MaskBounds &bounds) {
  LaneEmitter &lanes = elementEmitter.getLanes();
  linalg::LinalgOp op = bound.op;
  SmallVector<LaneValue> origin(op.getNumLoops(), lanes.constantIndex(0));
  auto isKnown = [](const LaneValue &value) { return value.isUniform() && value.level == 0; };
  arith::CmpIOp compare = bound.compare;
  if (bound.kind == MaskBound::Kind::Whole) {
    LaneValue holds = elementEmitter.getInBody(op, compare.getResult(), origin);
    if (!isKnown(holds))
      return false;
    OpBuilder &b = lanes.at(0);
    Value all = arith::ConstantIndexOp::create(b, lanes.getLoc(), extent);
    Value nothing = arith::ConstantIndexOp::create(b, lanes.getLoc(), 0);
    bounds.highs[bound.loop].push_back(arith::SelectOp::create(b, lanes.getLoc(), holds.value, all, nothing));
    return true;
  }
  LaneValue lhs = elementEmitter.getInBody(op, compare.getLhs(), origin);
  LaneValue rhs = elementEmitter.getInBody(op, compare.getRhs(), origin);
  if (!isKnown(lhs) || !isKnown(rhs))
    return false;
  bool isBelow = bound.kind == MaskBound::Kind::Below;
  if (bound.growsRight)
    std::swap(lhs, rhs);
  // x + i < y holds for i < y - x, and x + i > y for i > y - x.
  (isBelow ? bounds.highs : bounds.lows)[bound.loop].push_back(
      countBelow(lanes, lhs.value, rhs.value, /*orEqual=*/isBelow == bound.orEqual, bound.isSigned, extent));
  return true;
}

MaskBounds computeBounds(EmissionContext &context, ElementEmitter &elementEmitter, Value mask, ArrayRef<int64_t> shape,
                         ArrayRef<bool> allowed, const BoundedDims *planned) {
  MaskBounds bounds;
  bounds.lows.resize(shape.size());
  bounds.highs.resize(shape.size());
  bounds.parts = findMaskBounds(
      context.pointers, mask, shape, allowed, [&](Value block) { return context.getBuffer(block) != nullptr; },
      [&](linalg::LinalgOp op, Value scalar, bool isSigned) { return elementEmitter.hasStrides(op, scalar, isSigned); },
      [&](const MaskBound &bound) {
        return (!planned || planned->contains(bound)) && emitBound(elementEmitter, bound, shape[bound.loop], bounds);
      });
  return bounds;
}

} // namespace blockdsl
