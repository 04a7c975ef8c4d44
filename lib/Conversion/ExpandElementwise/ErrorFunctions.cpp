//===- ErrorFunctions.cpp - erf erfc, their inverses, the gamma functions -===//
//
// erf and erfc by polynomials and exponentials, their inverses by Wichura's algorithm AS 241 for the normal quantile,
// in f64. The gamma functions call libm.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// erf(x)/x - 1 in x^2 up to 0.92^2, with which erf has a relative error of 2^-31.
static constexpr double erfSmall[] = {0.12837916663760829,   -0.376126337339854817,  0.1128369545164327,
                                      -0.026859395052173931, 0.00520102292668811571, -0.000814258720641949265,
                                      8.36957333358803356e-5};
/// The same up to 1, relative error 2^-62.
static constexpr double erfSmall64[] = {0.128379167095512574,    -0.376126389031837476,    0.112837916709548576,
                                        -0.0268661706450729031,  0.00522397762478079937,   -0.00085483269787310659,
                                        0.000120553310362630205, -0.000014925593486749089, 1.64609724255308825e-6,
                                        -1.63500204305448049e-7, 1.46578437725614705e-8,   -1.13655132985612304e-9,
                                        5.94498343084887538e-11};
/// -log(erfc(x))/x - 1 in x from 0 to 4, which gives erf with a relative error of 2^-27.9.
static constexpr double erfDepth[] = {0.12837917161125967,   0.63661938196849,       0.10277783048961726,
                                      -0.01915306383753177,  -0.000160396185244894,  0.0016670275812591749,
                                      -0.000632836922348506, 0.00011764129070875028, -9.256267395993334e-06};
/// Taylor coefficients of erf about the middles of 16 intervals from 0 to 3.935, one power of the distance per row. The
/// first interval is half as long. Each coefficient is rounded given the ones before it. In the first interval they are
/// of erf minus the distance.
static constexpr double erfStep = 65.0 / 256;
static constexpr float erfAbout[][16] = {
    {0, 0.280463F, 0.5273385F, 0.7186238F, 0.84908605F, 0.92740816F, 0.9687964F, 0.9880475F, 0.9959292F, 0.99876946F,
     0.9996703F, 0.9999218F, 0.9999836F, 0.99999696F, 0.9999995F, 0.99999994F},
    {0.12837917F, 1.0579298F, 0.8718908F, 0.63164157F, 0.40223777F, 0.22516376F, 0.11079434F, 0.04792257F, 0.018220747F,
     0.0060896976F, 0.0017890761F, 0.00046202497F, 0.00010488317F, 2.0929068e-05F, 3.6711144e-06F, 5.6661423e-07F},
    {2.6574642e-07F, -0.26861086F, -0.4427577F, -0.4811325F, -0.40852624F, -0.28585792F, -0.16879532F, -0.08517072F,
     -0.037010692F, -0.013922599F, -0.0045474423F, -0.0012896307F, -0.00032277228F, -6.9425434e-05F, -1.8291636e-05F,
     -5.2308706e-06F},
    {-0.3761409F, -0.30719784F, -0.1407794F, 0.03377024F, 0.14252128F, 0.16687611F, 0.1344943F, 0.08495126F, 0.044046F,
     0.019170165F, 0.0070927297F, 0.0022485922F, 0.0006140777F, 0.0001450083F, 2.9690798e-05F, 5.0932067e-06F},
    {0.00027443055F, 0.1276441F, 0.18251845F, 0.14704949F, 0.0640768F, -0.010004659F, -0.045520596F, -0.04717461F,
     -0.032410253F, -0.016983883F, -0.0072935075F, -0.0027742544F, -0.00068042305F, -0.0002028531F, 0.00021076703F,
     0.00014335879F},
    {0.11102089F, 0.08005896F, 0.0071132747F, -0.054338183F, -0.06825088F, -0.044531193F, -0.012302257F, 0.0077991295F,
     0.0130250985F, 0.010021083F, 0.0054981275F, 0.002370233F, 0.0008359057F, 0.00024607623F, 6.123713e-05F,
     2.4745106e-05F},
};
/// (1 + 2x) exp(x^2) erfc(x) in t = (x - 2)/(x + 2), from x = 0 to 10.5.
static constexpr double erfcTail[] = {1.27697839343431544,      -0.0927638903221382424, -0.166031463092645084,
                                      0.16405292845140053,      -0.0542040236639868216, -0.00804225500441019924,
                                      0.00863497607526748273,   0.00126480964510473128, -0.00125217826376031589,
                                      -0.000354504808864460388, 3.13933517423857256e-5};

/// The same for f64, in t = (x - 4)/(x + 4), from x = 0.84 to 27.
static constexpr double erfcTail64[] = {
    1.23299511862555251,     -0.139621116840562505,     0.0153796521026200723,     0.0680970542546913857,
    -0.101039066036327944,   0.0937328349984058141,     -0.0663303658115457868,    0.0371675155363775968,
    -0.0161977340677821927,  0.00503196998993633524,    -0.000757773200700443872,  -0.000199256773982914371,
    0.000150621187602208265, -0.0000243988647870868392, -0.0000112202696781137772, 5.70865610095453534e-6,
    2.89683107874492142e-7,  -8.23077607367086465e-7,   8.0739242418423628e-8,     1.06576731662576582e-7,
    -2.31217961576040809e-8, -1.09847458352182446e-8,   3.79170779733442718e-9};

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

/// erf(x) - x for small x.
static Lanes excess(Emitter &e, Lanes x) {
  return x * (x.isF64() ? e.polynomial(x * x, erfSmall64) : e.polynomial(x * x, erfSmall));
}

/// erfc(a) for a from 0 (f32) or 0.84 (f64) to where it is zero.
static Lanes tailOf(Emitter &e, Lanes a) {
  Lanes square = a * a;
  // The rounding error of the square; its exp is 1 plus the error.
  Lanes lost = e.fma(a, a, -square);
  Lanes power = exponential(e, -square);
  Lanes t = a.isF64() ? (a - 4) / (a + 4) : (a - 2) / (a + 2);
  Lanes scaled = a.isF64() ? e.polynomial(t, erfcTail64) : e.polynomial(t, erfcTail);
  return scaled / e.fma(a, a.like(2), a.like(1)) * e.fma(-lost, power, power);
}

static Lanes errorFunction(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  if (e.looksUp(x)) {
    Lanes bounded = e.atMost(a, 3.935), counts = a.like(0x1.8p23); // its last bit has the value 1
    Lanes interval = e.fma(bounded, a.like(1 / erfStep), counts);
    Lanes distance = e.fma(interval - counts, a.like(-erfStep), bounded);
    Lanes number = e.bitsOf(interval);
    auto coefficient = [&](size_t power) { return e.lookUp(erfAbout[power], number); };
    constexpr size_t degree = std::size(erfAbout) - 1;
    Lanes sum = coefficient(degree);
    for (size_t power = degree - 1; power != 0; --power)
      sum = e.fma(sum, distance, coefficient(power));
    // The larger summand last: near zero the distance, elsewhere erf of the middle.
    Lanes middle = coefficient(0);
    sum = e.fma(sum, distance, e.select(middle < distance, distance, middle));
    return e.copySign(sum, x);
  }
  if (!x.isF64()) {
    // One formula for all x: erf = 1 - exp(-depth), which is exact near zero too.
    Lanes bounded = e.atMost(a, 4.0);
    Lanes depth = e.fma(bounded, e.polynomial(bounded, erfDepth), bounded);
    return e.copySign(oneMinusExponential(e, depth), x);
  }
  Lanes large = 1 - tailOf(e, e.atLeast(e.atMost(a, 7), 0.85));
  return e.select(a < 1.0, x + excess(e, x), e.copySign(large, x));
}

static Lanes complementaryErrorFunction(Emitter &e, Lanes x) {
  Lanes a = e.abs(x);
  bool isF64 = x.isF64();
  Lanes tail = tailOf(e, isF64 ? e.atLeast(e.atMost(a, 28), 0.85) : e.atMost(a, 10.5));
  // Near zero 1 - erf(x) has no cancellation, and fewer roundings than the product above.
  Lanes small = (1 - x) - excess(e, x);
  return e.select(a < (isF64 ? 0.85 : 0.5), small, e.select(x < 0.0, 2 - tail, tail));
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

/// Applies a formula on f64 lanes to lanes of any float type.
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

static Lanes normalDistribution(Emitter &e, Lanes x) { return complementaryErrorFunction(e, x * -sqrtHalf) * 0.5; }

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
