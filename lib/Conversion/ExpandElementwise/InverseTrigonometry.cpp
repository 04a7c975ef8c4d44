//===- InverseTrigonometry.cpp - asin acos atan atan2 ---------------------===//
//
// asin by its odd polynomial up to 1/2 and by asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)) above; atan by its odd
// polynomial up to tan(pi/8) and by one division above. Constants such as pi/2 come in two parts.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// (asin(x)/x - 1) / x^2 in x^2 up to 1/4.
static constexpr double asin32[] = {0.166667533996911337, 0.0749525551410743125, 0.0454762613296380362,
                                    0.024147707217172641, 0.0422246720405851252};
static constexpr double asin64[] = {
    0.166666666666667633,  0.0749999999996996694,  0.0446428571754504491, 0.0303819426655758346, 0.0223722162288581504,
    0.0173515888402486819, 0.0139811082942410409,  0.011396480333846318,  0.0107943004640005444, 0.00365182615512951343,
    0.0218438422942976192, -0.0211970309694325078, 0.0327554486465859114};
/// (atan(x)/x - 1) / x^2 in x^2 up to tan(pi/8)^2.
static constexpr double atan32[] = {-0.333333150487458032, 0.199984617177648062, -0.142433273378493368,
                                    0.105921571523968376, -0.0607373055510204435};
static constexpr double atan64[] = {-0.333333333333333273,  0.199999999999976027,   -0.142857142853800086,
                                    0.111111110876975899,   -0.0909090812779512932, 0.0769228239228233547,
                                    -0.0666622150562471921, 0.0587697176493487938,  -0.0521809038450340425,
                                    0.0450230218918519243,  -0.0334460420134112453, 0.0151668669794408273};

static Lanes oddPolynomial(Emitter &e, Lanes x, ArrayRef<double> of32, ArrayRef<double> of64) {
  Lanes z = x * x;
  return e.fma(x * z, e.polynomial(z, x.isF64() ? of64 : of32), x);
}

/// multiple * pi/2 + x, with pi/2 to twice the precision.
static Lanes plusHalfPi(Emitter &e, Lanes x, double multiple) {
  bool isF64 = x.isF64();
  double high = isF64 ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0;
  double low = isF64 ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
  return x.like(multiple * high) + (x + multiple * low);
}

/// asin(a) up to 1/2, else asin(sqrt((1 - a)/2)), for a = |x|.
struct HalfAngle {
  Lanes isLarge, angle;
};

static HalfAngle halfAngle(Emitter &e, Lanes a) {
  Lanes isLarge = a > 0.5;
  Lanes argument = e.select(isLarge, e.sqrt(e.fma(a, a.like(-0.5), a.like(0.5))), a);
  return {isLarge, oddPolynomial(e, argument, asin32, asin64)};
}

static Lanes arcsine(Emitter &e, Lanes x) {
  auto [isLarge, angle] = halfAngle(e, e.abs(x));
  return e.copySign(e.select(isLarge, plusHalfPi(e, angle * -2, 1), angle), x);
}

static Lanes arccosine(Emitter &e, Lanes x) {
  auto [isLarge, angle] = halfAngle(e, e.abs(x));
  Lanes isNegative = x < 0.0;
  Lanes signedAngle = e.copySign(angle, x);
  // Large: 2 angle, or pi - 2 angle on the negative side. Small: pi/2 - asin(x).
  Lanes twice = angle + angle;
  Lanes large = e.select(isNegative, plusHalfPi(e, -twice, 2), twice);
  return e.select(isLarge, large, plusHalfPi(e, -signedAngle, 1));
}

/// atan(numerator / denominator) of two positive numbers; the quotient may be infinite.
static Lanes arctangentOfRatio(Emitter &e, Lanes numerator, Lanes denominator) {
  Lanes isLarge = numerator > denominator * 2.414213562373095;
  Lanes isMiddle = numerator > denominator * 0.4142135623730951;
  // atan(n/d) = pi/4 + atan((n - d)/(n + d)) = pi/2 - atan(d/n).
  Lanes top = e.select(isLarge, -denominator, e.select(isMiddle, numerator - denominator, numerator));
  Lanes bottom = e.select(isLarge, numerator, e.select(isMiddle, numerator + denominator, denominator));
  Lanes angle = oddPolynomial(e, top / bottom, atan32, atan64);
  Lanes shifted = e.select(isLarge, plusHalfPi(e, angle, 1), plusHalfPi(e, angle, 0.5));
  return e.select(isMiddle, shifted, angle);
}

static Lanes arctangent(Emitter &e, Lanes x) { return e.copySign(arctangentOfRatio(e, e.abs(x), x.like(1)), x); }

static Lanes arctangent2(Emitter &e, Lanes y, Lanes x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Lanes ay = e.abs(y), ax = e.abs(x);
  Lanes isSteep = ay > ax;
  Lanes larger = e.select(isSteep, ay, ax);
  Lanes smaller = e.select(isSteep, ax, ay);
  // Scaled so that sums do not overflow and products with a bound are not denormal. The ratio of two infinities is 1,
  // of a number and infinity 0, of two zeros 0.
  Lanes isHuge = larger > (x.isF64() ? 0x1p1020 : 0x1p124);
  Lanes isTiny = larger < (x.isF64() ? 0x1p-900 : 0x1p-90);
  Lanes factor = e.select(isHuge, x.like(0.125), e.select(isTiny, x.like(0x1p80), x.like(1)));
  Lanes isInfinite = larger == infinity;
  smaller = e.select(isInfinite, e.select(smaller == infinity, x.like(1), x.like(0)), smaller * factor);
  larger = e.select(isInfinite, x.like(1), e.select(larger == 0.0, x.like(1), larger * factor));
  Lanes angle = arctangentOfRatio(e, smaller, larger);
  angle = e.select(isSteep, plusHalfPi(e, -angle, 1), angle);
  // The sign bit rather than a comparison, because atan2(0, -0.0) is pi.
  Lanes bits = e.bitsOf(x);
  Lanes isLeft = bits < e.integer(bits.type(), 0);
  angle = e.select(isLeft, plusHalfPi(e, -angle, 2), angle);
  angle = e.select(e.isNaN(x) | e.isNaN(y), x + y, angle);
  return e.copySign(angle, y);
}

void addInverseTrigonometry(FunctionTable &table) {
  table["asin"] = {[](Emitter &e, ArrayRef<Lanes> x) { return arcsine(e, x[0]); }};
  table["acos"] = {[](Emitter &e, ArrayRef<Lanes> x) { return arccosine(e, x[0]); }};
  table["atan"] = {[](Emitter &e, ArrayRef<Lanes> x) { return arctangent(e, x[0]); }};
  table["atan2"] = {[](Emitter &e, ArrayRef<Lanes> x) { return arctangent2(e, x[0], x[1]); }, "ff"};
}

} // namespace blockdsl
