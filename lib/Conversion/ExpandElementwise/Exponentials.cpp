//===- Exponentials.cpp - exp exp2 exp10 expm1 ----------------------------===//
//
// x = k ln(2) + r with |r| <= ln(2)/2, so exp(x) = 2^k exp(r). k is found by adding 1.5 * 2^(mantissa bits), which
// rounds to an integer; ln(2) is subtracted in two parts by fma. The polynomials are minimax fits of the relative
// error.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2, relative to exp(r): 2^-28 and 2^-64.
static constexpr double exp32[] = {0.49999993412513363, 0.166665201078660926, 0.0416683942113280008,
                                   0.00836878040858521891, 0.00138144669540100379};
static constexpr double exp64[] = {0.500000000000000004,   0.166666666666666836,   0.0416666666666660884,
                                   0.00833333333331691923, 0.00138888888891175625, 0.00019841269896677384,
                                   2.48015869241107472e-5, 2.75572345609842282e-6, 2.75575831522465162e-7,
                                   2.51121440733363109e-8, 2.08264422386428483e-9};
/// (2^r - 1) / r on |r| <= 1/2.
static constexpr double exp2of32[] = {0.69314721518524906,    0.240226527960524826,   0.0555031012908869666,
                                      0.00961769113656146913, 0.00134067973533026183, 0.000155950835710247858};
/// Accurate to 2^-34.
static constexpr double exp2of64forF32[] = {0.6931471807045326,    0.24022651066561188,   0.05550410365992142,
                                            0.009618038132057579,  0.0013333935054125738, 0.0001546675631909051,
                                            1.5196157043077727e-05};
static constexpr double exp2of64[] = {0.693147180559945308,   0.240226506959100711,    0.0555041086648217353,
                                      0.00961812910762856214, 0.00133335581463813515,  0.000154035303931700418,
                                      1.52527338532220773e-5, 1.32154870047839496e-6,  1.01780473722731308e-7,
                                      7.05481441394451745e-9, 4.45726345181274304e-10, 2.58556399376294307e-11};
/// (expm1(r) - r) / r^2, relative to expm1(r).
static constexpr double expm1of32[] = {0.500000005335909439,   0.166666669038754982,   0.0416663256725626368,
                                       0.00833321946136621493, 0.00139433174222389466, 0.000199625988952071203};
static constexpr double expm1of64[] = {0.500000000000000087,   0.16666666666666671,    0.0416666666666521855,
                                       0.0083333333333261018,  0.00138888888956335339, 0.000198412698749464052,
                                       2.48015744918824637e-5, 2.75572552319099565e-6, 2.75679464318265887e-7,
                                       2.51052898650203686e-8, 1.7687721188239492e-9};

/// x = k * step + r; step is given in two parts, the first with trailing zeros.
struct Reduced {
  Lanes k, r;
};

static Reduced reduce(Emitter &e, Lanes x, double inverseStep, double stepHigh, double stepLow) {
  Lanes magic = x.like(x.isF64() ? 0x1.8p52 : 0x1.8p23);
  Lanes k = e.fma(x, x.like(inverseStep), magic) - magic;
  Lanes r = e.fma(k, x.like(-stepHigh), x);
  return {k, e.fma(k, x.like(-stepLow), r)};
}

static Reduced reduceByLn2(Emitter &e, Lanes x) {
  return x.isF64() ? reduce(e, x, 1.4426950408889634, 0x1.62e42fefa0000p-1, 0x1.cf79abc9e3b3ap-40)
                   : reduce(e, x, 1.4426950408889634, 0x1.62e400p-1, 0x1.7f7d1cp-20);
}

/// exp(r) for a reduced argument.
static Lanes expOfRest(Emitter &e, Lanes r) {
  Lanes tail = r.isF64() ? e.polynomial(r, exp64) : e.polynomial(r, exp32);
  return e.fma(r, e.fma(r, tail, r.like(1)), r.like(1));
}

/// Beyond these arguments the result is 0 or infinity.
struct Bounds {
  double low32, high32, low64, high64;
};

// Within the bounds k stays small enough for `scale`.
static Lanes clampExponent(Emitter &e, Lanes x, Bounds at) {
  return e.atMost(e.atLeast(x, x.isF64() ? at.low64 : at.low32), x.isF64() ? at.high64 : at.high32);
}

/// Applies `reduction` to an argument of any size. If `scale` accepts any k, the rest is clamped rather than the
/// argument, which takes one instruction instead of two. Then 2^k of -inf, as in masked lanes, is far below the
/// denormals, which cost Intel's CPUs a hundred times as much as a normal result.
static Reduced reduceAny(Emitter &e, Lanes x, Bounds at, double restBound, function_ref<Reduced(Lanes)> reduction) {
  if (!e.scalesByAnything(x))
    return reduction(clampExponent(e, x, at));
  auto [k, r] = reduction(x);
  return {k, e.within(r, restBound)};
}

Lanes exponential(Emitter &e, Lanes x) {
  auto [k, r] = reduceAny(e, x, {-104, 89, -746, 710}, 0.5, [&](Lanes any) { return reduceByLn2(e, any); });
  return e.scale(expOfRest(e, r), k);
}

Lanes halfExponential(Emitter &e, Lanes x) {
  auto [k, r] = reduceAny(e, x, {-104, 90, -746, 711}, 0.5, [&](Lanes any) { return reduceByLn2(e, any); });
  return e.scale(expOfRest(e, r), k - 1);
}

static Lanes exponential2(Emitter &e, Lanes x, ArrayRef<double> coefficients) {
  auto [k, r] = reduceAny(e, x, {-151, 129, -1076, 1025}, 0.5, [](Lanes any) -> Reduced {
    Lanes magic = any.like(any.isF64() ? 0x1.8p52 : 0x1.8p23);
    Lanes k = (any + magic) - magic;
    return {k, any - k};
  });
  return e.scale(e.fma(r, e.polynomial(r, coefficients), x.like(1)), k);
}

static Lanes exponential2(Emitter &e, Lanes x) {
  return x.isF64() ? exponential2(e, x, exp2of64) : exponential2(e, x, exp2of32);
}

Lanes exponential2forF32(Emitter &e, Lanes x) { return exponential2(e, x, exp2of64forF32); }

static Lanes exponential10(Emitter &e, Lanes x) {
  constexpr double log2of10 = 3.3219280948873623;
  auto [k, r] = reduceAny(e, x, {-46, 39, -325, 309}, 0.25, [&](Lanes any) {
    return any.isF64() ? reduce(e, any, log2of10, 0x1.34413509e0000p-2, 0x1.79fef311f12b3p-38)
                       : reduce(e, any, log2of10, 0x1.344000p-2, 0x1.3509f8p-18);
  });
  return e.scale(expOfRest(e, r * 2.3025850929940457), k);
}

/// expm1(r) for a reduced argument.
static Lanes expm1OfRest(Emitter &e, Lanes r) {
  return e.fma(r * r, r.isF64() ? e.polynomial(r, expm1of64) : e.polynomial(r, expm1of32), r);
}

Lanes oneMinusExponential(Emitter &e, Lanes x) {
  // The low bits of the sum are k, and 2^-k is normal. 1 - 2^-k (1 + p) has no use for ln(2)'s second part: what it
  // adds to r is multiplied by k 2^-k.
  Lanes magic = x.like(0x1.8p23);
  Lanes sum = e.fma(x, x.like(1.4426950408889634), magic);
  Lanes power = e.floatOf(e.bitsOf(x.like(1)) - (e.bitsOf(sum) << 23), x.element());
  Lanes p = expm1OfRest(e, e.fma(sum - magic, x.like(0.6931471805599453), -x));
  return e.fma(-power, p, 1 - power);
}

Lanes exponentialMinusOne(Emitter &e, Lanes x) {
  // The result is -1 well before 2^k would be a denormal.
  auto [k, r] = reduceByLn2(e, clampExponent(e, x, {-20, 89, -40, 710}));
  Lanes p = expm1OfRest(e, r);
  // 2^k p + (2^k - 1) with both halved, because 2^k overflows before the result does.
  Lanes half = e.scale(x.like(0.5), k);
  Lanes result = e.fma(half, p, half - 0.5);
  return e.copySign(result + result, x);
}

void addExponentials(FunctionTable &table) {
  table["exp"] = {[](Emitter &e, ArrayRef<Lanes> x) { return exponential(e, x[0]); }};
  table["exp2"] = {[](Emitter &e, ArrayRef<Lanes> x) { return exponential2(e, x[0]); }};
  table["exp10"] = {[](Emitter &e, ArrayRef<Lanes> x) { return exponential10(e, x[0]); }};
  table["expm1"] = {[](Emitter &e, ArrayRef<Lanes> x) { return exponentialMinusOne(e, x[0]); }};
}

} // namespace blockdsl
