//===- IntegerDivision.cpp - Division that never traps ---------------------===//
//
// Division by zero gives zero, and the least integer by -1 gives itself (remainder 0). Constant divisors need no
// checks. CPUs have no vector division of integers: narrow integers are divided as floats with enough bits, which is
// exact.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

namespace {
/// The operands and the kind of one of the four ops.
struct Division {
  Lanes numerator, divisor;
  bool isSigned, isRemainder;
};
} // namespace

/// Returns the divisor, or 1 where the division would trap. n / 1 and n % 1 are also the results for the least integer
/// by -1.
static Lanes safeDivisor(Emitter &e, const Division &d) {
  Lanes zero = e.integer(d.divisor.type(), 0), one = e.integer(d.divisor.type(), 1);
  Lanes wouldTrap = d.divisor == zero;
  if (d.isSigned) {
    Lanes least = e.integer(d.divisor.type(), int64_t(1) << (d.divisor.width() - 1));
    Lanes minusOne = e.integer(d.divisor.type(), -1);
    wouldTrap = wouldTrap | ((d.numerator == least) & (d.divisor == minusOne));
  }
  return e.select(wouldTrap, one, d.divisor);
}

static Lanes toFloat(Emitter &e, Lanes n, bool isSigned, Type element) {
  Type type = Emitter::withElement(n.type(), element);
  return isSigned ? Lanes(e, arith::SIToFPOp::create(e.ops(), type, n))
                  : Lanes(e, arith::UIToFPOp::create(e.ops(), type, n));
}

/// Divides in a float type with more bits than the integers: rounding cannot move a quotient that is not integral to
/// the next integer.
static Lanes quotientByFloat(Emitter &e, const Division &d, Lanes divisor, Type element) {
  Lanes quotient = toFloat(e, d.numerator, d.isSigned, element) / toFloat(e, divisor, d.isSigned, element);
  // Large 64-bit numbers may be poison here. They are not selected; freeze keeps LLVM from exploiting them.
  Value converted = d.isSigned ? arith::FPToSIOp::create(e.ops(), d.divisor.type(), quotient).getResult()
                               : arith::FPToUIOp::create(e.ops(), d.divisor.type(), quotient).getResult();
  return Lanes(e, LLVM::FreezeOp::create(e.ops(), converted));
}

static Lanes quotientByInteger(Emitter &e, const Division &d, Lanes divisor) {
  return d.isSigned ? e.make<arith::DivSIOp>(d.numerator, divisor) : e.make<arith::DivUIOp>(d.numerator, divisor);
}

/// Divides 64-bit vectors: in f64 if all operands fit in 52 bits, which is the usual case, otherwise lane by lane.
static Lanes longQuotient(Emitter &e, const Division &d, Lanes divisor) {
  auto distanceFromZero = [&](Lanes n) { return d.isSigned ? n ^ e.shiftRightSigned(n, 63) : n; };
  Lanes upper = (distanceFromZero(d.numerator) | distanceFromZero(divisor)) >> 51;
  Lanes isLarge = upper != e.integer(upper.type(), 0);
  Lanes fast = quotientByFloat(e, d, divisor, e.ops().getF64Type());
  return e.whenAny(isLarge, [&] { return quotientByInteger(e, d, divisor); }, fast);
}

/// Returns true for constant divisors of 64-bit vectors. For other types LLVM divides by a multiplication and shifts,
/// but there is no instruction for the upper half of a product of 64-bit lanes.
static bool isSlowConstant(Emitter &e, const Division &d, const APInt &divisor) {
  return e.target.hasAVX512 && isa<VectorType>(d.divisor.type()) && d.divisor.width() == 64 &&
         !divisor.abs().isPowerOf2() && divisor.abs().ult(uint64_t(1) << 50);
}

static Value byConstant(Emitter &e, const Division &d, const APInt &divisor) {
  Lanes zero = e.integer(d.divisor.type(), 0);
  if (divisor.isZero())
    return zero;
  // The op is undefined for the least integer.
  if (d.isSigned && divisor.isAllOnes())
    return d.isRemainder ? zero : zero - d.numerator;
  if (!isSlowConstant(e, d, divisor))
    return {};
  Lanes quotient = longQuotient(e, d, d.divisor);
  return d.isRemainder ? d.numerator - quotient * d.divisor : quotient;
}

static Value byVariable(Emitter &e, const Division &d) {
  Lanes divisor = safeDivisor(e, d);
  unsigned width = d.divisor.width();
  bool isVector = isa<VectorType>(d.divisor.type());
  if (width == 64 && !e.target.hasAVX512)
    isVector = false; // these CPUs have no vector conversion of 64-bit integers either
  Lanes quotient =
      !isVector ? quotientByInteger(e, d, divisor)
      : width == 64
          ? longQuotient(e, d, divisor)
          : quotientByFloat(e, d, divisor, width <= 16 ? Type(e.ops().getF32Type()) : Type(e.ops().getF64Type()));
  if (d.isRemainder)
    return d.numerator - quotient * divisor;
  Lanes zero = e.integer(d.divisor.type(), 0);
  return e.select(d.divisor == zero, zero, quotient);
}

Value expandIntegerDivision(Emitter &e, Operation *op) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!element)
    return {};
  Division division{Lanes(e, op->getOperand(0)), Lanes(e, op->getOperand(1)), isSigned, isRemainder};
  APInt constant;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return byConstant(e, division, constant);
  // One bit: n / 1 is n, everything else is zero.
  if (element.getWidth() == 1) {
    Lanes zero = e.integer(division.divisor.type(), 0);
    return isRemainder ? zero : Lanes(division.numerator & division.divisor);
  }
  return byVariable(e, division);
}

} // namespace blockdsl
