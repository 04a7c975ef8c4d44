//===- Hyperbolics.cpp - sinh cosh tanh and their inverses ----------------===//
//
// By exp and log1p where they are precise enough, otherwise, near zero, by an odd polynomial.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// (tanh(x)/x - 1) / x^2 in x^2 up to 0.625^2, and (sinh(x)/x - 1) / x^2 up to 1.
static constexpr double tanh32[] = {-0.333332819638454932, 0.133314423222344596, -0.0537396868015984382,
                                    0.0206388911359973262, -0.0057046755632735668};
static constexpr double tanh64[] = {-0.333333333333333325,   0.133333333333331562,    -0.0539682539681280492,
                                    0.0218694885316391606,   -0.00886323543416360024, 0.00359212672886730673,
                                    -0.00145582227820631036, 0.000589949150651962262, -0.000238770545937072453,
                                    9.57503791850513926e-5,  -3.66243924572109388e-5, 1.17935249951394295e-5,
                                    -2.27133076885406506e-6};
static constexpr double sinh32[] = {0.166666664976994054, 0.0083333500534418798, 0.000198361600989934955,
                                    2.81695145849665184e-6};
static constexpr double sinh64[] = {0.166666666666666674,   0.0083333333333331482,  0.000198412698414315982,
                                    2.75573191571442318e-6, 2.50521231273737807e-8, 1.60572603478005391e-10,
                                    7.75873512832093235e-13};
/// (asinh(x)/x - 1) / x^2 in x^2 up to 1/4.
static constexpr double asinh32[] = {-0.166666652817251376, 0.0749988945218414283,  -0.0446132771208838053,
                                     0.0300131297405032536, -0.0199805025746255282, 0.00916826046337699025};

static Lanes oddPolynomial(Emitter &e, Lanes x, ArrayRef<double> coefficients) {
  Lanes z = x * x;
  return e.fma(x * z, e.polynomial(z, coefficients), x);
}

static Lanes hyperbolicTangent(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  Lanes small = x.isF64() ? oddPolynomial(e, a, tanh64) : oddPolynomial(e, a, tanh32);
  Lanes large = 1 - 2.0 / (exponential(e, a + a) + 1);
  return e.copySign(e.select(a < 0.625, small, large), x);
}

static Lanes hyperbolicSine(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  Lanes small = x.isF64() ? oddPolynomial(e, a, sinh64) : oddPolynomial(e, a, sinh32);
  Lanes half = halfExponential(e, a);
  return e.copySign(e.select(a < 1.0, small, half - 0.25 / half), x);
}

static Lanes hyperbolicCosine(Emitter &e, Lanes x) {
  Lanes half = halfExponential(e, e.abs(x));
  return half + 0.25 / half;
}

/// log(2x) for x too large to be squared.
static Lanes logarithmOfTwice(Emitter &e, Lanes x) { return naturalLogarithm(e, x) + 0.6931471805599453; }

static Lanes inverseSine(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  Lanes square = a * a;
  Lanes middle = logarithmOfOnePlus(e, a + square / (e.sqrt(square + 1) + 1));
  if (!x.isF64())
    middle = e.select(a < 0.5, oddPolynomial(e, a, asinh32), middle);
  Lanes isLarge = a > (x.isF64() ? 0x1p28 : 0x1p14);
  return e.copySign(e.select(isLarge, logarithmOfTwice(e, a), middle), x);
}

static Lanes inverseCosine(Emitter &e, Lanes x) {
  Lanes t = x - 1;
  Lanes middle = logarithmOfOnePlus(e, t + e.sqrt(e.fma(t, t, t + t)));
  Lanes result = e.select(x > (x.isF64() ? 0x1p28 : 0x1p14), logarithmOfTwice(e, x), middle);
  // Far below 1 the sum with the square root rounds to a valid argument of log1p.
  return e.select(x < 1.0, x.like(std::numeric_limits<double>::quiet_NaN()), result);
}

static Lanes inverseTangent(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  return e.copySign(logarithmOfOnePlus(e, (a + a) / (1 - a)) * 0.5, x);
}

void addHyperbolics(FunctionTable &table) {
  table["tanh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return hyperbolicTangent(e, x[0]); }};
  table["sinh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return hyperbolicSine(e, x[0]); }};
  table["cosh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return hyperbolicCosine(e, x[0]); }};
  table["asinh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inverseSine(e, x[0]); }};
  table["acosh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inverseCosine(e, x[0]); }};
  table["atanh"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inverseTangent(e, x[0]); }};
}

} // namespace blockdsl
