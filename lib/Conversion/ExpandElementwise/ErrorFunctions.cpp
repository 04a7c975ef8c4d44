//===- ErrorFunctions.cpp - erf erfc, their inverses, the gamma functions -===//
//
// erf and erfc of f32 by polynomials and exp. The inverses by Wichura's algorithm AS 241 for the normal quantile, in
// f64. f64 erf and erfc and the gamma functions are libm's.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// erf(x)/x - 1 in x^2 up to 0.92^2, relative error 2^-31.
static constexpr double erfSmall[] = {0.12837916663760829,   -0.376126337339854817,  0.1128369545164327,
                                      -0.026859395052173931, 0.00520102292668811571, -0.000814258720641949265,
                                      8.36957333358803356e-5};
/// -log(erfc(x))/x in x from 0.92 to 4.
static constexpr double erfLarge[] = {1.12864847138564799,    0.635151395865923425,   0.10623674187938519,
                                      -0.0237619427221824518, 0.00364240103605082043, -0.00032278944739431847,
                                      1.12298729225947951e-5};
/// (1 + 2x) exp(x^2) erfc(x) in t = (x - 2)/(x + 2), from x = 0 to 10.5.
static constexpr double erfcTail[] = {1.27697839343431544,      -0.0927638903221382424, -0.166031463092645084,
                                      0.16405292845140053,      -0.0542040236639868216, -0.00804225500441019924,
                                      0.00863497607526748273,   0.00126480964510473128, -0.00125217826376031589,
                                      -0.000354504808864460388, 3.13933517423857256e-5};

/// AS 241: numerators and denominators for the centre, the tail, and the far tail.
static constexpr double centreTop[] = {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
                                       13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                                       33430.575583588128105, 2509.0809287301226727};
static constexpr double centreBottom[] = {1.0,
                                          42.313330701600911252,
                                          687.18700749205790830,
                                          5394.1960214247511077,
                                          21213.794301586595867,
                                          39307.895800092710610,
                                          28729.085735721942674,
                                          5226.4952788528545610};
static constexpr double tailTop[] = {1.42343711074968357734,   4.63033784615654529590,   5.76949722146069140550,
                                     3.64784832476320460504,   1.27045825245236838258,   0.241780725177450611770,
                                     0.0227238449892691845833, 7.74545014278341407640e-4};
static constexpr double tailBottom[] = {1.0,
                                        2.05319162663775882187,
                                        1.67638483018380384940,
                                        0.689767334985100004550,
                                        0.148103976427480074590,
                                        0.0151986665636164571966,
                                        5.47593808499534494600e-4,
                                        1.05075007164441684324e-9};
static constexpr double farTop[] = {6.65790464350110377720,    5.46378491116411436990,   1.78482653991729133580,
                                    0.296560571828504891230,   0.0265321895265761230930, 0.00124266094738807843860,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
static constexpr double farBottom[] = {1.0,
                                       0.599832206555887937690,
                                       0.136929880922735805310,
                                       0.0148753612908506148525,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};

static Lanes errorFunction(Emitter &e, Lanes x) {
  if (x.isF64())
    return e.libm("erf", x);
  Lanes a = e.abs(x);
  Lanes small = e.fma(x, e.polynomial(x * x, erfSmall), x);
  Lanes bounded = e.atMost(a, 4.0);
  Lanes large = 1 - exponential(e, -(bounded * e.polynomial(bounded, erfLarge)));
  return e.select(a < 0.92, small, e.copySign(large, x));
}

/// exp(x^2) erfc(x) for 0 <= x <= 10.5 in f32.
static Lanes scaledTail(Emitter &e, Lanes a) {
  Lanes t = (a - 2) / (a + 2);
  return e.polynomial(t, erfcTail) / e.fma(a, a.like(2), a.like(1));
}

static Lanes complementaryErrorFunction(Emitter &e, Lanes x) {
  if (x.isF64())
    return e.libm("erfc", x);
  Lanes a = e.atMost(e.abs(x), 10.5);
  Lanes square = a * a;
  // What the square lost; exp of it is 1 plus it.
  Lanes lost = e.fma(a, a, -square);
  Lanes power = exponential(e, -square);
  Lanes tail = scaledTail(e, a) * e.fma(-lost, power, power);
  // Near zero nothing cancels in 1 - erf(x), and the product above would round more often.
  Lanes small = (1 - x) - x * e.polynomial(x * x, erfSmall);
  return e.select(a < 0.5, small, e.select(x < 0.0, 2 - tail, tail));
}

/// The normal quantile of p in f64, given p - 1/2 and the smaller of p and 1 - p.
static Lanes normalQuantile(Emitter &e, Lanes centred, Lanes tail) {
  Lanes r = e.fma(centred, -centred, centred.like(0.180625));
  Lanes centre = centred * (e.polynomial(r, centreTop) / e.polynomial(r, centreBottom));
  Lanes depth = e.sqrt(-naturalLogarithm(e, tail));
  Lanes near = depth - 1.6, far = depth - 5;
  Lanes isNear = depth <= 5.0;
  Lanes top = e.select(isNear, e.polynomial(near, tailTop), e.polynomial(far, farTop));
  Lanes bottom = e.select(isNear, e.polynomial(near, tailBottom), e.polynomial(far, farBottom));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Lanes outer = e.select(tail == 0.0, tail.like(infinity), top / bottom);
  return e.select(e.abs(centred) <= 0.425, centre, e.copySign(outer, centred));
}

/// Runs a formula on f64 lanes whatever the argument is.
static Lanes inF64(Emitter &e, Lanes x, Lanes (*formula)(Emitter &, Lanes)) {
  return x.isF64() ? formula(e, x) : e.narrow(formula(e, e.widen(x)));
}

static constexpr double sqrtHalf = 0.7071067811865476;

static Lanes inverseErrorFunction(Emitter &e, Lanes x) {
  return normalQuantile(e, x * 0.5, (1 - e.abs(x)) * 0.5) * sqrtHalf;
}

static Lanes inverseComplement(Emitter &e, Lanes x) {
  Lanes smaller = e.select(x < 1.0, x, 2 - x);
  return normalQuantile(e, (1 - x) * 0.5, smaller * 0.5) * sqrtHalf;
}

static Lanes inverseNormal(Emitter &e, Lanes x) { return normalQuantile(e, x - 0.5, e.select(x < 0.5, x, 1 - x)); }

static Lanes normalDistribution(Emitter &e, Lanes x) { return e.libm("erfc", x * -sqrtHalf) * 0.5; }

void addErrorFunctions(FunctionTable &table) {
  table["erf"] = {[](Emitter &e, ArrayRef<Lanes> x) { return errorFunction(e, x[0]); }};
  table["erfc"] = {[](Emitter &e, ArrayRef<Lanes> x) { return complementaryErrorFunction(e, x[0]); }};
  table["erfinv"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inF64(e, x[0], inverseErrorFunction); }};
  table["erfcinv"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inF64(e, x[0], inverseComplement); }};
  table["normcdfinv"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inF64(e, x[0], inverseNormal); }};
  table["normcdf"] = {[](Emitter &e, ArrayRef<Lanes> x) { return inF64(e, x[0], normalDistribution); }};
  table["tgamma"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.libm("tgamma", x); }};
  table["lgamma"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.libm("lgamma", x); }};
}

} // namespace blockdsl
