//===- FloatingPointParts.cpp - Rounding, classes, signs and exponents ----===//
//
// Functions on the bits of a number or its rounding: floor ... llrint, isnan isinf signbit, copysign nextafter, ldexp
// ilogb logb; and minimum, maximum, fma of C.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace blockdsl {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Converts a boolean to i32, as in C.
static Lanes asInt(Emitter &e, Lanes condition) { return e.extendInteger(condition, 32, /*isSigned=*/false); }

static Lanes isInfinite(Emitter &e, ArrayRef<Lanes> x) { return asInt(e, e.abs(x[0]) == infinity); }
static Lanes isFinite(Emitter &e, ArrayRef<Lanes> x) { return asInt(e, e.abs(x[0]) < infinity); }
static Lanes isNaN(Emitter &e, ArrayRef<Lanes> x) { return asInt(e, e.isNaN(x[0])); }

static Lanes signBit(Emitter &e, ArrayRef<Lanes> x) {
  return e.truncateInteger(e.bitsOf(x[0]) >> (x[0].width() - 1), 32);
}

static Lanes nextAfter(Emitter &e, ArrayRef<Lanes> x) {
  Lanes from = x[0], to = x[1];
  Lanes bits = e.bitsOf(from);
  Lanes one = e.integer(bits.type(), 1);
  // Away from zero is one bit up, towards it one bit down.
  Lanes grows = !((from < to) ^ (from > 0.0));
  Lanes stepped = e.floatOf(e.select(grows, bits + one, bits - one), from.element());
  Lanes smallest = e.copySign(e.floatOf(one, from.element()), to);
  Lanes result = e.select(from == 0.0, smallest, stepped);
  result = e.select(from == to, to, result);
  return e.select(e.isNaN(from) | e.isNaN(to), from + to, result);
}

static Lanes loadExponent(Emitter &e, ArrayRef<Lanes> x) {
  // Two halves, because 2^n itself may overflow or underflow while the result does not.
  Lanes n = x[1];
  int64_t limit = x[0].isF64() ? 2200 : 300;
  Lanes high = e.integer(n.type(), limit), low = e.integer(n.type(), -limit);
  n = e.select(n > high, high, e.select(n < low, low, n));
  Lanes half = e.shiftRightSigned(n, 1);
  Lanes first = e.scale(x[0], e.convertToFloat(half, x[0].element()));
  return e.scale(first, e.convertToFloat(n - half, x[0].element()));
}

/// The exponent of a finite number that is not zero, as an i32.
static Lanes exponentOf(Emitter &e, Lanes x) {
  bool isF64 = x.isF64();
  Lanes a = e.abs(x);
  Lanes isTiny = a < (isF64 ? 0x1p-1022 : 0x1p-126);
  Lanes bits = e.bitsOf(e.select(isTiny, a * (isF64 ? 0x1p54 : 0x1p25), a));
  Lanes exponent = e.truncateInteger(bits >> (isF64 ? 52 : 23), 32) -
                   e.integer(Emitter::withElement(x.type(), e.ops().getI32Type()), isF64 ? 1023 : 127);
  return exponent - e.select(isTiny, exponent.like(isF64 ? 54 : 25), exponent.like(0));
}

static Lanes integerLogarithm(Emitter &e, ArrayRef<Lanes> x) {
  Lanes exponent = exponentOf(e, x[0]);
  Lanes least = exponent.like(INT32_MIN), largest = exponent.like(INT32_MAX);
  Lanes hasNone = (x[0] == 0.0) | e.isNaN(x[0]);
  return e.select(hasNone, least, e.select(e.abs(x[0]) == infinity, largest, exponent));
}

static Lanes floatLogarithm(Emitter &e, ArrayRef<Lanes> x) {
  Lanes a = e.abs(x[0]);
  Lanes exponent = e.convertToFloat(exponentOf(e, x[0]), a.element());
  return e.select(a == 0.0, a.like(-infinity), e.select(a < infinity, exponent, a));
}

/// x rounded to even, then converted to a 64-bit integer.
static Lanes roundToLong(Emitter &e, ArrayRef<Lanes> x) { return e.saturate(e.roundEven(x[0]), 64, /*isSigned=*/true); }

static Lanes roundAway(Emitter &e, Lanes x) { return Lanes(e, math::RoundOp::create(e.ops(), x)); }

static Lanes larger(Emitter &e, ArrayRef<Lanes> x) { return e.make<arith::MaxNumFOp>(x[0], x[1]); }
static Lanes smaller(Emitter &e, ArrayRef<Lanes> x) { return e.make<arith::MinNumFOp>(x[0], x[1]); }

static Lanes positiveDifference(Emitter &e, ArrayRef<Lanes> x) {
  // For NaN the comparison is false, so that the difference, NaN, is returned.
  return e.select(x[0] <= x[1], x[0].like(0), x[0] - x[1]);
}

static Lanes saturate(Emitter &e, ArrayRef<Lanes> x) {
  Lanes bounded = e.atMost(e.atLeast(x[0], 0), 1);
  return e.select(e.isNaN(x[0]), x[0].like(0), bounded);
}

void addFloatingPointParts(FunctionTable &table) {
  for (StringRef name : {"isinf", "isinfd"})
    table[name] = {isInfinite};
  for (StringRef name : {"finite", "isfinited"})
    table[name] = {isFinite};
  for (StringRef name : {"isnan", "isnand"})
    table[name] = {isNaN};
  for (StringRef name : {"signbit", "signbitd"})
    table[name] = {signBit};
  for (StringRef name : {"ldexp", "scalbn"})
    table[name] = {loadExponent, "fi"};
  for (StringRef name : {"rint", "nearbyint", "roundeven"})
    table[name] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.roundEven(x[0]); }};
  table["fabs"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.abs(x[0]); }};
  table["floor"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.floor(x[0]); }};
  table["ceil"] = {[](Emitter &e, ArrayRef<Lanes> x) { return Lanes(e, math::CeilOp::create(e.ops(), x[0])); }};
  table["trunc"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.trunc(x[0]); }};
  table["round"] = {[](Emitter &e, ArrayRef<Lanes> x) { return roundAway(e, x[0]); }};
  table["llrint"] = {roundToLong};
  table["llround"] = {
      [](Emitter &e, ArrayRef<Lanes> x) { return e.saturate(roundAway(e, x[0]), 64, /*isSigned=*/true); }};
  table["copysign"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.copySign(x[0], x[1]); }, "ff"};
  table["nextafter"] = {nextAfter, "ff"};
  table["ilogb"] = {integerLogarithm};
  table["logb"] = {floatLogarithm};
  table["fmax"] = {larger, "ff"};
  table["fmin"] = {smaller, "ff"};
  table["fdim"] = {positiveDifference, "ff"};
  table["saturate"] = {saturate};
  table["fma"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.fma(x[0], x[1], x[2]); }, "fff"};
}

} // namespace blockdsl
