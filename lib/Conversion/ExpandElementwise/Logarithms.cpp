//===- Logarithms.cpp - log log2 log10 log1p ------------------------------===//
//
// x = 2^n (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2). One polynomial approximates log(1 + f); the other bases scale its
// coefficients, with log_b(e) and log_b(2) in two parts. No division.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace blockdsl {

/// (log(1 + f) - f + f^2/2) / f^3, relative to log(1 + f): 2^-30, 2^-38 and 2^-59.
static constexpr double log32[] = {0.333333125565189009,  -0.250000095135710488, 0.20002122726248218,
                                   -0.166680055607966249, 0.142194629962569164,  -0.124053274780100281,
                                   0.118886342020525282,  -0.116776171267695867, 0.0674798324331392053};
static constexpr double log64forF32[] = {0.3333333339918608,   -0.25000001125731125, 0.19999989260063017,
                                         -0.16666532457734315, 0.14286179140808541,  -0.1250571362203667,
                                         0.11105470855893404,  -0.09889383569485924, 0.09040198957694891,
                                         -0.09286954236982166, 0.09115764221585926,  -0.04822612724564445};
static constexpr double log64[] = {
    0.333333333333334532,  -0.24999999999998917,   0.19999999999945802,   -0.166666666669148894,
    0.142857142938849612,  -0.124999999820208057,  0.111111105133310391,  -0.100000003802277015,
    0.0909093359720762195, -0.083333459430115942,  0.0769171275246427128, -0.0714199514818594867,
    0.0667516512877221181, -0.0626987002558969035, 0.0581772359274406176, -0.0532629767622702891,
    0.0541568200508592213, -0.0627626922115246377, 0.0569891938268587541, -0.0242851778584340573};

/// log_b(e) and log_b(2), each as a high part and the rest; log_b(2)'s high part times an exponent is exact.
struct Base {
  double ofE, eHigh32, eLow32, eHigh64, eLow64;
  double twoHigh32, twoLow32, twoHigh64, twoLow64;
};
static constexpr Base natural = {1, 1, 0, 1, 0, 0x1.62e4p-1, 0x1.7f7d1cp-20, 0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40};
static constexpr Base binary = {
    1.4426950408889634, 0x1.715476p+0, 0x1.4ae0cp-26, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0, 1, 0};
static constexpr Base decimal = {0.4342944819032518,   0x1.bcb7bp-2,          0x1.526e5p-26,
                                 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.344p-2,
                                 0x1.3509f8p-18,       0x1.34413509ep-2,      0x1.79fef311f12b3p-38};

/// x = 2^exponent * (1 + fraction).
struct Parts {
  Lanes exponent, fraction;
};

// Subtracting the bits of sqrt(1/2) leaves the exponent in the upper bits.
static Parts split(Emitter &e, Lanes x) {
  int mantissa = x.isF64() ? 52 : 23;
  Lanes bits = e.bitsOf(x);
  Lanes exponent = e.shiftRightSigned(bits - e.bitsOf(x.like(0.7071067811865476)), mantissa);
  Lanes scaled = e.floatOf(bits - (exponent << mantissa), x.element());
  return {e.convertToFloat(exponent, x.element()), scaled - 1};
}

static Lanes combine(Emitter &e, Lanes n, Lanes f, const Base &base, ArrayRef<double> coefficients) {
  bool isF64 = f.isF64();
  SmallVector<double> scaled;
  for (double c : coefficients)
    scaled.push_back(c * base.ofE);
  Lanes cubic = e.fma(f, e.polynomial(f, scaled), f.like(-0.5 * base.ofE));
  double eLow = isF64 ? base.eLow64 : base.eLow32;
  double twoLow = isF64 ? base.twoLow64 : base.twoLow32;
  Lanes low = f * f * cubic;
  if (eLow != 0)
    low = e.fma(f, f.like(eLow), low);
  if (twoLow != 0)
    low = e.fma(n, n.like(twoLow), low);
  Lanes fraction = base.ofE == 1 ? f + low : e.fma(f, f.like(isF64 ? base.eHigh64 : base.eHigh32), low);
  return e.fma(n, n.like(isF64 ? base.twoHigh64 : base.twoHigh32), fraction);
}

static Lanes combine(Emitter &e, Lanes n, Lanes f, const Base &base) {
  return f.isF64() ? combine(e, n, f, base, log64) : combine(e, n, f, base, log32);
}

/// Selects the results for 0, negative numbers, infinity and NaN.
static Lanes withSpecialValues(Emitter &e, Lanes x, Lanes result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = e.select(x < infinity, result, x);
  result = e.select(x < 0.0, x.like(std::numeric_limits<double>::quiet_NaN()), result);
  return e.select(x == 0.0, x.like(-infinity), result);
}

static Lanes logarithm(Emitter &e, Lanes x, const Base &base) {
  // Denormals are scaled up first; their exponent is corrected afterwards.
  bool isF64 = x.isF64();
  Lanes isTiny = x < (isF64 ? 0x1p-1022 : 0x1p-126);
  Lanes normal = e.select(isTiny, x * (isF64 ? 0x1p54 : 0x1p25), x);
  auto [n, f] = split(e, normal);
  n = n - e.select(isTiny, n.like(isF64 ? 54 : 25), n.like(0));
  return withSpecialValues(e, x, combine(e, n, f, base));
}

Lanes naturalLogarithm(Emitter &e, Lanes x) { return logarithm(e, x, natural); }

Lanes logarithm2forF32(Emitter &e, Lanes x) {
  auto [n, f] = split(e, x);
  return combine(e, n, f, binary, log64forF32);
}

Lanes logarithmOfOnePlus(Emitter &e, Lanes x) {
  // u = 1 + x loses the low part of x, which is added to the fraction with the same scale.
  int mantissa = x.isF64() ? 52 : 23;
  double limit = x.isF64() ? 0x1p60 : 0x1p30;
  Lanes u = x + 1;
  Lanes lost = e.select(x < limit, x - (u - 1), x.like(0));
  Lanes bits = e.bitsOf(u);
  Lanes exponent = e.shiftRightSigned(bits - e.bitsOf(x.like(0.7071067811865476)), mantissa);
  Lanes power = exponent << mantissa;
  Lanes inverse = e.floatOf(e.bitsOf(x.like(1)) - power, x.element());
  // For huge x the inverse power may overflow, and nothing is lost.
  Lanes correction = e.select(x < limit, lost * inverse, x.like(0));
  Lanes f = (e.floatOf(bits - power, x.element()) - 1) + correction;
  Lanes result = combine(e, e.convertToFloat(exponent, x.element()), f, natural);
  result = withSpecialValues(e, u, result);
  // u is 1 for small x, and log1p(-0.0) is -0.0.
  return e.select(e.abs(x) < (x.isF64() ? 0x1p-54 : 0x1p-25), x, result);
}

void addLogarithms(FunctionTable &table) {
  table["log"] = {[](Emitter &e, ArrayRef<Lanes> x) { return logarithm(e, x[0], natural); }};
  table["log2"] = {[](Emitter &e, ArrayRef<Lanes> x) { return logarithm(e, x[0], binary); }};
  table["log10"] = {[](Emitter &e, ArrayRef<Lanes> x) { return logarithm(e, x[0], decimal); }};
  table["log1p"] = {[](Emitter &e, ArrayRef<Lanes> x) { return logarithmOfOnePlus(e, x[0]); }};
}

} // namespace blockdsl
