//===- Arithmetic.cpp - Rules for arith and tt ops -------------------------===//
//
// Minimum and maximum, approximate quotients, the upper half of products, shifts, floats to integers. Divisions of
// integers are in IntegerDivision.cpp.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace blockdsl {

/// Returns true for a constant that is not NaN.
static bool isNumber(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN();
}

/// maxps and minps: the second operand where either is NaN.
static Lanes chooseSecondForNaN(Emitter &e, Lanes a, Lanes b, bool isMaximum) {
  return e.select(isMaximum ? a > b : a < b, a, b);
}

/// The larger (smaller) of two numbers, NaN if either is NaN. The sign of a zero result is not defined, as in numpy.
static Lanes extreme(Emitter &e, Lanes a, Lanes b, bool isMaximum) {
  if (!e.target.isX86)
    return isMaximum ? e.make<arith::MaximumFOp>(a, b) : e.make<arith::MinimumFOp>(a, b);
  // LLVM's lowering also orders zeros, with twice the instructions. If an operand is a constant number, it goes first,
  // so that a NaN of the other is the result. Otherwise a select keeps a NaN of the first operand.
  if (isNumber(a) || isNumber(b))
    return isNumber(a) ? chooseSecondForNaN(e, a, b, isMaximum) : chooseSecondForNaN(e, b, a, isMaximum);
  return e.select(a == a, chooseSecondForNaN(e, a, b, isMaximum), a);
}

/// The larger (smaller) of two numbers, the other number if one is NaN.
static Lanes extremeOfNumbers(Emitter &e, Lanes a, Lanes b, bool isMaximum) {
  // Selects by the second operand, which in a reduction is the element and not the carried value. LLVM's lowering tests
  // the first operand and needs one more instruction, unless an operand is a constant.
  if (e.target.isX86 && isa<VectorType>(a.type()) && !isNumber(a) && !isNumber(b))
    return e.select(b == b, chooseSecondForNaN(e, a, b, isMaximum), a);
  return isMaximum ? e.make<arith::MaxNumFOp>(a, b) : e.make<arith::MinNumFOp>(a, b);
}

Value expandMinMax(Emitter &e, Operation *op) {
  auto operand = [&](unsigned n) { return Lanes(e, op->getOperand(n)); };
  bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return e.target.isX86 ? extreme(e, operand(0), operand(1), isMaximum) : Value();
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return e.target.isX86 ? extremeOfNumbers(e, operand(0), operand(1), isMaximum) : Value();
  if (auto clamp = dyn_cast<ClampFOp>(op)) {
    auto choose = clamp.getPropagateNan() == PropagateNan::All ? extreme : extremeOfNumbers;
    return choose(e, choose(e, operand(0), operand(1), true), operand(2), false);
  }
  return {};
}

/// Emits an approximate f32 quotient by a loop-invariant number as a product with the reciprocal, which is hoisted. A
/// reciprocal that is not a normal number would turn finite quotients into infinities, zeros into NaN, or lose bits.
/// So the divisor is first multiplied by a power of two that makes the reciprocal normal, and the quotient by the same
/// power.
static Value divideApproximately(Emitter &e, ApproxDivFOp op) {
  auto broadcast = op.getY().getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || !getElementTypeOrSelf(op.getType()).isF32() || !isa<FloatType>(broadcast.getSource().getType()))
    return {};
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop || !loop.isDefinedOutsideOfLoop(broadcast.getSource()))
    return {};
  OpBuilder::InsertionGuard guard(e.ops());
  e.ops().setInsertionPoint(loop);
  Lanes divisor(e, broadcast.getSource()), size = e.abs(divisor);
  Lanes power =
      e.select(size < 0x1p-126, size.like(0x1p64), e.select(size > 0x1p126, size.like(0x1p-64), size.like(1)));
  auto spread = [&](Lanes number) { return Lanes(e, vector::BroadcastOp::create(e.ops(), op.getType(), number)); };
  Lanes reciprocals = spread(1.0 / (divisor * power)), powers = spread(power);
  e.ops().setInsertionPoint(op);
  return Lanes(e, op.getX()) * reciprocals * powers;
}

/// Returns the upper halves of the products of vectors, with even and odd lanes multiplied as wider lanes.
static Value multiplyHighOfLanes(Emitter &e, Lanes a, Lanes b) {
  ImplicitLocOpBuilder &ops = e.ops();
  unsigned width = a.width();
  int64_t count = a.count();
  auto pairs = VectorType::get({count / 2}, ops.getIntegerType(2 * width));
  auto products = [&](bool odd) -> Value {
    auto half = [&](Lanes n) {
      Lanes pair(e, vector::BitCastOp::create(ops, pairs, n));
      return odd ? pair >> width : pair & int64_t((uint64_t(1) << width) - 1);
    };
    return vector::BitCastOp::create(ops, cast<VectorType>(a.type()), half(a) * half(b));
  };
  SmallVector<int64_t> upper;
  for (int64_t lane = 0; lane != count; ++lane)
    upper.push_back((lane / 2) * 2 + 1 + (lane % 2) * count);
  return vector::ShuffleOp::create(ops, products(false), products(true), upper);
}

static Value multiplyHigh(Emitter &e, Lanes a, Lanes b) {
  if (a.width() == 64)
    return arith::MulUIExtendedOp::create(e.ops(), a, b).getHigh();
  // Like LLVM's lowering, which is wrong for factors of 1 (AvoidLLVMFaults.cpp).
  if (a.width() == 32 && a.count() % 2 == 0)
    return multiplyHighOfLanes(e, a, b);
  unsigned wide = 2 * a.width();
  Lanes product = e.extendInteger(a, wide, false) * e.extendInteger(b, wide, false);
  return e.truncateInteger(product >> a.width(), a.width());
}

/// Shifts by the width or more give zero, or the sign, as on a GPU. The amount is unsigned. LLVM combines the select
/// with the vector shifts of x86, which have the same semantics.
static Value shift(Emitter &e, Operation *op) {
  Lanes number(e, op->getOperand(0)), amount(e, op->getOperand(1));
  unsigned width = number.width();
  DenseIntElementsAttr lanes;
  APInt all;
  if (matchPattern(op->getOperand(1), m_Constant(&lanes)) && llvm::all_of(lanes, [&](APInt n) { return n.ult(width); }))
    return {};
  if (matchPattern(op->getOperand(1), m_ConstantInt(&all)) && all.ult(width))
    return {};
  Lanes last = e.integer(number.type(), width - 1);
  if (isa<arith::ShRSIOp>(op))
    return e.make<arith::ShRSIOp>(number, e.unsignedMin(amount, last));
  Lanes fits(e, arith::CmpIOp::create(e.ops(), arith::CmpIPredicate::ule, amount, last));
  Lanes shifted =
      isa<arith::ShLIOp>(op) ? e.make<arith::ShLIOp>(number, amount) : e.make<arith::ShRUIOp>(number, amount);
  return e.select(fits, shifted, e.integer(number.type(), 0));
}

Value expandArithmetic(Emitter &e, Operation *op) {
  auto operand = [&](unsigned n) { return Lanes(e, op->getOperand(n)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<PreciseDivFOp>([&](auto) -> Value { return operand(0) / operand(1); })
      .Case<ApproxDivFOp>([&](ApproxDivFOp divide) -> Value {
        Value quotient = divideApproximately(e, divide);
        return quotient ? quotient : Value(operand(0) / operand(1));
      })
      .Case<PreciseSqrtOp>([&](auto) -> Value { return e.sqrt(operand(0)); })
      .Case<MulhiUIOp>([&](auto) { return multiplyHigh(e, operand(0), operand(1)); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](Operation *op) { return shift(e, op); })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *convert) -> Value {
        unsigned width = getElementTypeOrSelf(convert->getResult(0).getType()).getIntOrFloatBitWidth();
        return e.saturate(operand(0), width, isa<arith::FPToSIOp>(convert));
      })
      .Default([](Operation *) { return Value(); });
}

} // namespace blockdsl
