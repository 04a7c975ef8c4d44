//===- BlockRanges.cpp - Ranges of integers in blocks -----------------------===//

#include "blockdsl/Analysis/BlockRanges.h"

#include "blockdsl/Analysis/FusibleOps.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

#include <cmath>

using namespace mlir;

namespace blockdsl {

/// Limits on scalars and constants, which keep 64-bit arithmetic on them from wrapping.
static constexpr double kMost = double(int64_t(1) << 62) * 1.5;
static constexpr int64_t kMostConstant = int64_t(1) << 61;

static bool isSmall(int64_t number) { return -kMostConstant < number && number < kMostConstant; }

static Interval between(int64_t low, int64_t high) { return {{{}, low}, {{}, high}, 0}; }

/// Returns true if both ends are the same number.
static bool isOne(const Interval &value) {
  return value.low.scalar == value.high.scalar && value.low.plus == value.high.plus;
}

static bool isConstant(const Interval &value) { return isOne(value) && !value.low.scalar; }

/// Returns an upper bound of the magnitude of the ends.
static double magnitudeOf(const Interval &value) {
  return value.most + std::max(std::abs(double(value.low.plus)), std::abs(double(value.high.plus)));
}

static unsigned widthOf(Type type) { return ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type)); }

//===-- Scalars -------------------------------------------------------------===//

const RangeScalar *BlockRanges::add(RangeScalar scalar) {
  scalar.number = scalars.size();
  return &scalars.emplace_back(scalar);
}

const RangeScalar *BlockRanges::constant(int64_t number) {
  RangeScalar scalar{Kind::Constant};
  scalar.constant = number;
  return add(scalar);
}

const RangeScalar *BlockRanges::create(Kind kind, const RangeScalar *lhs, const RangeScalar *rhs) {
  RangeScalar scalar{kind};
  scalar.lhs = lhs;
  scalar.rhs = rhs;
  return add(scalar);
}

/// Returns an end as one scalar.
const RangeScalar *BlockRanges::whole(const Interval::End &end) {
  const RangeScalar *plus = constant(end.plus);
  if (!end.scalar)
    return plus;
  return end.plus == 0 ? end.scalar : create(Kind::Add, end.scalar, plus);
}

/// Returns the known range of `scalar` from at most `depth` steps of its computation, like that of the emitted ops.
static ConstantIntRanges rangeOf(const RangeScalar *scalar, int depth = kKnownDepth) {
  using Kind = RangeScalar::Kind;
  if (scalar->kind == Kind::Constant)
    return ConstantIntRanges::constant(APInt(64, scalar->constant, /*isSigned=*/true));
  if (scalar->kind == Kind::Source && scalar->source.getType().isInteger(64))
    return knownRange(scalar->source, depth);
  if (depth == 0)
    return ConstantIntRanges::maxRange(64);
  if (scalar->kind == Kind::Source) {
    ConstantIntRanges narrow = knownRange(scalar->source, depth - 1);
    return scalar->constant ? intrange::extSIRange(narrow, 64) : intrange::extUIRange(narrow, 64);
  }
  ConstantIntRanges operands[] = {rangeOf(scalar->lhs, depth - 1), rangeOf(scalar->rhs, depth - 1)};
  switch (scalar->kind) {
  case Kind::Add:
    return intrange::inferAdd(operands);
  case Kind::Sub:
    return intrange::inferSub(operands);
  case Kind::Mul:
    return intrange::inferMul(operands);
  case Kind::Min:
    return intrange::inferMinS(operands);
  case Kind::Max:
    return intrange::inferMaxS(operands);
  case Kind::Div:
    return intrange::inferDivS(operands);
  default:
    llvm_unreachable("a condition has no range");
  }
}

/// Returns the largest power of two that is known to divide `scalar`.
static int64_t divisorOf(const RangeScalar *scalar, int depth = kKnownDepth) {
  using Kind = RangeScalar::Kind;
  if (scalar->kind == Kind::Constant)
    return knownDivisor(APInt(64, scalar->constant, /*isSigned=*/true));
  if (scalar->kind == Kind::Source && scalar->source.getType().isInteger(64))
    return knownDivisor(scalar->source, depth);
  if (depth == 0 || scalar->kind == Kind::Div)
    return 1;
  if (scalar->kind == Kind::Source)
    return knownDivisor(scalar->source, depth - 1);
  int64_t lhs = divisorOf(scalar->lhs, depth - 1), rhs = divisorOf(scalar->rhs, depth - 1);
  return scalar->kind == Kind::Mul ? std::min(lhs * rhs, kMostDivisor) : std::min(lhs, rhs);
}

//===-- Ranges of values ----------------------------------------------------===//

std::optional<Interval> BlockRanges::ofType(Type type) const {
  unsigned width = widthOf(type);
  if (width == 0 || width > 32)
    return std::nullopt;
  int64_t count = int64_t(1) << width;
  return query.isSigned ? between(-count / 2, count / 2 - 1) : between(0, count - 1);
}

std::optional<Interval> BlockRanges::ofScalar(Value scalar) {
  Type type = scalar.getType();
  if (!isa<IntegerType, IndexType>(type))
    return std::nullopt;
  std::optional<int64_t> number = getConstantElement(scalar);
  if (APInt constant; matchPattern(scalar, m_ConstantInt(&constant)))
    number = constant.getSExtValue();
  unsigned width = widthOf(type);
  if (number) {
    APInt bits(64, *number, /*isSigned=*/true);
    if (!query.isSigned)
      bits = bits.trunc(width).zext(64);
    int64_t value = bits.getSExtValue();
    return isSmall(value) ? std::optional(between(value, value)) : std::nullopt;
  }
  RangeScalar source{Kind::Source};
  source.source = scalar;
  source.constant = query.isSigned || isa<IndexType>(type);
  const RangeScalar *wide = add(source);
  return Interval{{wide, 0}, {wide, 0}, std::ldexp(1.0, query.isSigned ? width - 1 : width)};
}

std::optional<Interval> BlockRanges::ofBlock(Value block) {
  if (auto found = query.known.find(block); found != query.known.end())
    return found->second;
  std::optional<Interval> result;
  Operation *op = block.getDefiningOp();
  DenseIntElementsAttr elements;
  if (matchPattern(block, m_Constant(&elements))) {
    std::optional<APInt> low, high;
    for (const APInt &element : elements.getValues<APInt>()) {
      bool less = !low || (query.isSigned ? element.slt(*low) : element.ult(*low));
      bool more = !high || (query.isSigned ? element.sgt(*high) : element.ugt(*high));
      low = less ? element : *low;
      high = more ? element : *high;
    }
    auto number = [&](const APInt &value) {
      return query.isSigned ? value.getSExtValue() : value.getLimitedValue(kMostConstant);
    };
    if (low && isSmall(number(*low)) && isSmall(number(*high)))
      result = between(number(*low), number(*high));
  } else if (!op || isInMemory(block)) {
    result = ofType(block.getType());
  } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    result = ofBlock(op->getOperand(0));
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp && isFusible(op)) {
    unsigned index = cast<OpResult>(block).getResultNumber();
    result = ofBody(linalgOp, linalgOp.getBlock()->getTerminator()->getOperand(index));
  } else {
    result = ofType(block.getType());
  }
  return query.known[block] = result;
}

std::optional<Interval> BlockRanges::ofBody(linalg::LinalgOp op, Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == op.getBlock()) {
    Value operand = getBodyOperand(op, argument);
    return isa<RankedTensorType>(operand.getType()) ? ofBlock(operand) : ofScalar(operand);
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock())
    return ofScalar(scalar);
  if (auto found = query.known.find(scalar); found != query.known.end())
    return found->second;
  std::optional<Interval> result = compute(op, def);
  return query.known[scalar] = result;
}

/// Follows the ops that keep strides. The results of other ops, which are uniform wherever a stride is known, may be
/// any integer of their type.
std::optional<Interval> BlockRanges::compute(linalg::LinalgOp op, Operation *def) {
  if (def->getNumResults() != 1 || !isa<IntegerType, IndexType>(def->getResult(0).getType()))
    return std::nullopt;
  auto operand = [&](unsigned index) { return ofBody(op, def->getOperand(index)); };
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return between(0, op.getStaticLoopRanges()[index.getDim()] - 1);
  if (matchPattern(def, m_Constant()))
    return ofScalar(def->getResult(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(def)) {
    auto lhs = operand(0), rhs = operand(1);
    if (!lhs || !rhs)
      return std::nullopt;
    return isa<arith::MulIOp>(def) ? multiply(*lhs, *rhs, widthOf(def->getResult(0).getType()))
                                   : add(*lhs, *rhs, isa<arith::SubIOp>(def));
  }
  if (isa<arith::ShLIOp>(def)) {
    auto value = operand(0), by = operand(1);
    if (!value || !by || !isConstant(*by) || by->low.plus < 0 || by->low.plus >= 32)
      return std::nullopt;
    return scale(*value, int64_t(1) << by->low.plus);
  }
  // A truncation does not change the range, which is computed without wrapping.
  bool fromIndex = isa<IndexType>(def->getOperand(0).getType());
  if (isa<arith::TruncIOp>(def) || (isa<arith::IndexCastOp, arith::IndexCastUIOp>(def) && fromIndex))
    return operand(0);
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(def))
    return widen(op, def->getOperand(0), /*isSigned=*/true);
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(def))
    return widen(op, def->getOperand(0), /*isSigned=*/false);
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(def))
    return divide(op, def);
  return ofType(def->getResult(0).getType());
}

std::optional<Interval> BlockRanges::add(const Interval &lhs, const Interval &rhs, bool subtracts) {
  bool computes = rhs.low.scalar || rhs.high.scalar;
  if (!subtracts && computes && !lhs.low.scalar && !lhs.high.scalar)
    return add(rhs, lhs, /*subtracts=*/false); // keeps the scalars of `rhs` as they are
  Interval sum{lhs.low, lhs.high, computes ? lhs.most + rhs.most : lhs.most};
  if (computes && sum.most > kMost)
    return std::nullopt;
  for (auto [into, other] : {std::pair(&sum.low, subtracts ? &rhs.high : &rhs.low),
                             std::pair(&sum.high, subtracts ? &rhs.low : &rhs.high)}) {
    into->plus = subtracts ? into->plus - other->plus : into->plus + other->plus;
    if (!isSmall(into->plus))
      return std::nullopt;
    if (!other->scalar)
      continue;
    const RangeScalar *first = into->scalar ? into->scalar : constant(0);
    into->scalar = create(subtracts ? Kind::Sub : Kind::Add, first, other->scalar);
  }
  // Ends that differ by a constant share a scalar, so that `check` can use its known divisor.
  if (lhs.low.scalar == lhs.high.scalar && rhs.low.scalar == rhs.high.scalar)
    sum.high.scalar = sum.low.scalar;
  return sum;
}

std::optional<Interval> BlockRanges::scale(const Interval &value, int64_t factor) {
  Interval product{value.low, value.high, value.most * std::abs(double(factor))};
  if (factor < 0)
    std::swap(product.low, product.high);
  bool isSame = product.low.scalar == product.high.scalar;
  if (factor != 1 && value.low.scalar && product.most > kMost)
    return std::nullopt;
  for (Interval::End *end : {&product.low, &product.high}) {
    if (llvm::MulOverflow(end->plus, factor, end->plus) || !isSmall(end->plus))
      return std::nullopt;
    if (end->scalar && factor != 1)
      end->scalar = create(Kind::Mul, end->scalar, constant(factor));
  }
  if (isSame)
    product.high.scalar = product.low.scalar;
  return product;
}

std::optional<Interval> BlockRanges::multiply(const Interval &lhs, const Interval &rhs, unsigned width) {
  // A constant factor is signed, even in a query of unsigned integers.
  if (isConstant(rhs))
    return scale(lhs, llvm::SignExtend64(rhs.low.plus, width));
  if (isConstant(lhs))
    return scale(rhs, llvm::SignExtend64(lhs.low.plus, width));
  const Interval &many = isOne(rhs) ? lhs : rhs, &one = isOne(rhs) ? rhs : lhs;
  Interval product{{}, {}, magnitudeOf(many) * magnitudeOf(one)};
  if (!isOne(one) || product.most > kMost || !conditions)
    return std::nullopt;
  const RangeScalar *factor = whole(one.low);
  const RangeScalar *first = create(Kind::Mul, whole(many.low), factor);
  const RangeScalar *last = create(Kind::Mul, whole(many.high), factor);
  product.low.scalar = create(Kind::Min, first, last);
  product.high.scalar = create(Kind::Max, first, last);
  return product;
}

/// Runs `body` in a query about integers that are signed or not, and returns to the current query.
template <typename Body> auto BlockRanges::inQuery(bool isSigned, Body body) {
  Query outer = std::exchange(query, Query{isSigned, llvm::DenseMap<Value, std::optional<Interval>>()});
  auto result = body();
  query = std::move(outer);
  return result;
}

/// Returns the range of an extension; nullopt if its operand may wrap.
std::optional<Interval> BlockRanges::widen(linalg::LinalgOp op, Value narrow, bool wasSigned) {
  std::optional<Interval> value = inQuery(wasSigned, [&] { return ofBody(op, narrow); });
  if (value && check(*value, widthOf(narrow.getType()), wasSigned ? Signs::Signed : Signs::Unsigned, conditions))
    return value;
  return std::nullopt;
}

/// Returns the range of a division or remainder of integers that are not negative by one positive integer; of other
/// divisions the range of the type.
std::optional<Interval> BlockRanges::divide(linalg::LinalgOp op, Operation *def) {
  bool wasSigned = isa<arith::RemSIOp, arith::DivSIOp>(def), remains = isa<arith::RemSIOp, arith::RemUIOp>(def);
  unsigned width = widthOf(def->getResult(0).getType());
  std::optional<Interval> any, value, by;
  inQuery(wasSigned, [&] {
    any = ofType(def->getResult(0).getType());
    value = ofBody(op, def->getOperand(0));
    return by = ofBody(op, def->getOperand(1));
  });
  if (!any || !value || !by || !isOne(*by) ||
      !check(*value, width, wasSigned ? Signs::NonNegative : Signs::Unsigned, conditions))
    return any;
  if (!isConstant(*by)) {
    if (!remains || !conditions)
      return any;
    const RangeScalar *divisor = whole(by->low);
    conditions->push_back(create(Kind::Above, divisor, constant(0)));
    return Interval{{{}, 0}, {by->high.scalar, by->high.plus - 1}, by->most};
  }
  int64_t divisor = by->low.plus;
  if (divisor <= 0)
    return any;
  if (remains)
    return between(0, divisor - 1);
  Interval quotient{{}, {}, magnitudeOf(*value)};
  for (auto [from, to] : {std::pair(&value->low, &quotient.low), std::pair(&value->high, &quotient.high)}) {
    if (from->scalar)
      to->scalar = create(Kind::Div, whole(*from), constant(divisor));
    else
      to->plus = from->plus / divisor;
  }
  return quotient;
}

//===-- Checks --------------------------------------------------------------===//

bool BlockRanges::check(const Interval &interval, unsigned width, Signs signs, RangeScalars *into) {
  if (width == 64 && signs == Signs::Unsigned)
    return false;
  APInt first(66, 0), last = APInt::getAllOnes(width).zext(66);
  if (signs == Signs::Signed)
    first = APInt::getSignedMinValue(width).sext(66);
  if (signs != Signs::Unsigned)
    last = APInt::getSignedMaxValue(width).zext(66);
  auto wide = [](const APInt &number, int64_t plus) { return number.sext(66) + APInt(66, plus, /*isSigned=*/true); };
  // Adding less than a divisor of the scalar only fills zero bits and does not carry.
  const Interval::End &low = interval.low, &high = interval.high;
  bool noCarry = false;
  if (low.scalar && low.scalar == high.scalar && low.plus >= 0 && high.plus < divisorOf(low.scalar)) {
    ConstantIntRanges range = rangeOf(low.scalar);
    noCarry =
        wide(range.smin(), 0).sge(first) && wide(range.smax(), 0).sle(last) && wide(APInt(64, 0), high.plus).sle(last);
  }
  if (noCarry && signs != Signs::NonNegative)
    return true;
  RangeScalars needs;
  auto holds = [&](const Interval::End &end, bool isLow) {
    auto isFine = [&](const APInt &number) { return isLow ? number.sge(first) : number.sle(last); };
    if (!end.scalar)
      return isFine(APInt(66, end.plus, /*isSigned=*/true));
    ConstantIntRanges range = rangeOf(end.scalar);
    if (isFine(wide(isLow ? range.smin() : range.smax(), end.plus)))
      return true;
    APInt limit = (isLow ? first : last) - APInt(66, end.plus, /*isSigned=*/true);
    if (!into || !isFine(wide(isLow ? range.smax() : range.smin(), end.plus)) || !limit.isSignedIntN(64))
      return false;
    needs.push_back(create(isLow ? Kind::AtLeast : Kind::AtMost, end.scalar, constant(limit.getSExtValue())));
    return true;
  };
  if (!holds(low, true) || !(noCarry || holds(high, false)))
    return false;
  if (into)
    into->append(needs.begin(), needs.end());
  return true;
}

bool BlockRanges::neverWraps(linalg::LinalgOp op, Value scalar, Signs signs, RangeScalars *into) {
  RangeScalars found;
  scalars.clear();
  conditions = into ? &found : nullptr;
  std::optional<Interval> interval = inQuery(signs != Signs::Unsigned, [&] { return ofBody(op, scalar); });
  if (!interval || !check(*interval, widthOf(scalar.getType()), signs, conditions))
    return false;
  if (into)
    into->append(found.begin(), found.end());
  return true;
}

} // namespace blockdsl
