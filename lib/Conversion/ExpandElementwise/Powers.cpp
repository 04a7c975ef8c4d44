//===- Powers.cpp - pow powi cbrt hypot sqrt rsqrt fmod remainder ---------===//
//
// f32 functions that need more than f32 precision are computed in f64. Their f64 forms call libm.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// |x|^y for f64 lanes with the precision of f32, if both are finite and x is not 0.
static Lanes finitePower(Emitter &e, Lanes x, Lanes y) {
  return exponential2forF32(e, y * logarithm2forF32(e, e.abs(x)));
}

/// x^y from the power of finite numbers, with the special values of C's pow.
static Lanes withSpecialPowers(Emitter &e, Lanes x, Lanes y, Lanes magnitude) {
  Lanes a = e.abs(x);
  Lanes isZero = a == 0.0;
  Lanes grows = isZero ^ (y > 0.0);
  magnitude = e.select(isZero | (a == infinity), e.select(grows, x.like(infinity), x.like(0)), magnitude);
  magnitude = e.select(a == 1.0, x.like(1), magnitude);

  Lanes isNegative = e.bitsOf(x) < e.integer(Emitter::bitsType(x.type()), 0);
  Lanes isInteger = e.trunc(y) == y;
  Lanes isOdd = isInteger & (e.trunc(y * 0.5) * 2 != y);
  Lanes result = e.select(isNegative & isOdd, -magnitude, magnitude);
  Lanes hasNoRoot = (x < 0.0) & (x > -infinity) & !isInteger;
  result = e.select(hasNoRoot, x.like(std::numeric_limits<double>::quiet_NaN()), result);
  result = e.select(e.isNaN(x) | e.isNaN(y), x + y, result);
  return e.select((y == 0.0) | (x == 1.0), x.like(1), result);
}

static Lanes power(Emitter &e, ArrayRef<Lanes> x) {
  if (x[0].isF64())
    return e.libm("pow", x);
  return withSpecialPowers(e, x[0], x[1], e.narrow(finitePower(e, e.widen(x[0]), e.widen(x[1]))));
}

static Lanes powerOfInteger(Emitter &e, ArrayRef<Lanes> x) {
  Lanes exponent = e.convertToFloat(x[1], e.ops().getF64Type());
  if (x[0].isF64())
    return e.libm("pow", {x[0], exponent});
  // In f64, because an odd exponent may have more digits than f32.
  Lanes wide = e.widen(x[0]);
  return e.narrow(withSpecialPowers(e, wide, exponent, finitePower(e, wide, exponent)));
}

static Lanes cubeRoot(Emitter &e, Lanes x) {
  if (x.isF64())
    return e.libm("cbrt", x);
  Lanes wide = e.widen(e.abs(x));
  Lanes root = e.narrow(exponential2forF32(e, logarithm2forF32(e, wide) * (1.0 / 3)));
  Lanes isOrdinary = (e.abs(x) < infinity) & (x != 0.0);
  return e.select(isOrdinary, e.copySign(root, x), x);
}

static Lanes hypotenuse(Emitter &e, ArrayRef<Lanes> x) {
  if (x[0].isF64())
    return e.libm("hypot", x);
  Lanes a = e.widen(x[0]), b = e.widen(x[1]);
  Lanes result = e.narrow(e.sqrt(e.fma(a, a, b * b)));
  // hypot(infinity, NaN) is infinity.
  Lanes isInfinite = (e.abs(x[0]) == infinity) | (e.abs(x[1]) == infinity);
  return e.select(isInfinite, result.like(infinity), result);
}

static Lanes inverseSquareRoot(Emitter &e, Lanes x) { return 1.0 / e.sqrt(x); }

/// fmod. In f64 the quotient of two f32 is truncated correctly if it is below 2^27, and the rest is exact.
static Lanes floatRemainder(Emitter &e, ArrayRef<Lanes> x) {
  if (x[0].isF64())
    return e.libm("fmod", x);
  Lanes a = e.widen(x[0]), b = e.widen(x[1]);
  Lanes quotient = e.trunc(a / b);
  Lanes rest = e.copySign(e.narrow(e.fma(-quotient, b, a)), x[0]);
  // Also true for a zero divisor and for infinities.
  Lanes isHard = !(e.abs(quotient) < 0x1p27) | (e.abs(x[1]) == infinity);
  return e.whenAny(isHard, [&] { return e.libm("fmod", x); }, rest);
}

void addPowers(FunctionTable &table) {
  table["pow"] = {power, "ff"};
  table["powi"] = {powerOfInteger, "fi"};
  table["cbrt"] = {[](Emitter &e, ArrayRef<Lanes> x) { return cubeRoot(e, x[0]); }};
  table["rcbrt"] = {[](Emitter &e, ArrayRef<Lanes> x) { return 1.0 / cubeRoot(e, x[0]); }};
  table["hypot"] = {hypotenuse, "ff"};
  table["rhypot"] = {[](Emitter &e, ArrayRef<Lanes> x) { return 1.0 / hypotenuse(e, x); }, "ff"};
  table["sqrt"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.sqrt(x[0]); }};
  table["rsqrt"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inverseSquareRoot(e, x[0]); }};
  table["fmod"] = {floatRemainder, "ff"};
  table["remainder"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.libm("remainder", x); }, "ff"};
}

} // namespace blockdsl
