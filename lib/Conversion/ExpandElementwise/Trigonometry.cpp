//===- Trigonometry.cpp - sin cos tan, also in units of pi ----------------===//
//
// x = k pi/2 + r: pi/2 in three parts, subtracted by fma. The first subtraction is exact, so r keeps its relative
// accuracy up to the bound; if any lane is beyond it, libm computes the whole vector. Then two short polynomials are
// swapped and negated by the last two bits of k.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace llvm;

namespace blockdsl {

/// (sin(r)/r - 1) / r^2 and (cos(r) - 1 + r^2/2) / r^4 as polynomials in r^2, |r| <= pi/4.
static constexpr double sin32[] = {-0.166666544645420278, 0.00833215132557442062, -0.000195139752683110623};
static constexpr double cos32[] = {0.0416666454557395249, -0.00138873044419147909, 2.44317442763872142e-5};
static constexpr double sin64[] = {-0.166666666666666299,  0.00833333333332190484,  -0.000198412698294100493,
                                   2.75573135563611577e-6, -2.50507371793836101e-8, 1.5895595039030774e-10};
static constexpr double cos64[] = {0.0416666666666665912,   -0.00138888888888727392, 2.48015872886469801e-5,
                                   -2.75573141184087868e-7, 2.08756923470237671e-9,  -1.13580861408331337e-11};

/// sin and cos of the reduced argument, and its quadrant.
struct Quarter {
  Lanes sine, cosine, quadrant;
};

static Quarter evaluate(Emitter &e, Lanes r, Lanes quadrant) {
  Lanes z = r * r;
  Lanes sine = r.isF64() ? e.polynomial(z, sin64) : e.polynomial(z, sin32);
  Lanes cosine = r.isF64() ? e.polynomial(z, cos64) : e.polynomial(z, cos32);
  sine = e.fma(r * z, sine, r);
  cosine = e.fma(z * z, cosine, e.fma(z, z.like(-0.5), z.like(1)));
  return {sine, cosine, quadrant};
}

/// The largest |x| for which `reduce` is accurate.
static double reductionBound(Lanes x) { return x.isF64() ? 0x1p28 : 0x1p16; }

static Quarter reduce(Emitter &e, Lanes x) {
  Lanes magic = x.like(x.isF64() ? 0x1.8p52 : 0x1.8p23);
  Lanes shifted = e.fma(x, x.like(0.6366197723675814), magic);
  Lanes k = shifted - magic;
  bool isF64 = x.isF64();
  Lanes r = e.fma(k, x.like(isF64 ? -0x1.921fb54442d18p+0 : -0x1.921fb4p+0), x);
  r = e.fma(k, x.like(isF64 ? -0x1.1a62633145c06p-54 : -0x1.4442dp-24), r);
  r = e.fma(k, x.like(isF64 ? -0x1.c1cd129024e09p-107 : -0x1.84698ap-48), r);
  return evaluate(e, r, e.bitsOf(shifted));
}

/// Selects the function by the lowest bit of the quadrant, and the sign by the next bit.
static Lanes pick(Emitter &e, Lanes quadrant, Lanes even, Lanes odd) {
  Lanes isOdd = (quadrant & int64_t(1)) != e.integer(quadrant.type(), 0);
  Lanes sign = (quadrant >> 1) << (quadrant.width() - 1);
  return e.floatOf(e.bitsOf(e.select(isOdd, odd, even)) ^ sign, even.element());
}

static Lanes sine(Emitter &e, Quarter q) { return pick(e, q.quadrant, q.sine, q.cosine); }

static Lanes cosine(Emitter &e, Quarter q) {
  return pick(e, q.quadrant + e.integer(q.quadrant.type(), 1), q.sine, q.cosine);
}

static Lanes tangent(Emitter &e, Quarter q) {
  Lanes isOdd = (q.quadrant & int64_t(1)) != e.integer(q.quadrant.type(), 0);
  return e.select(isOdd, -q.cosine, q.sine) / e.select(isOdd, q.sine, q.cosine);
}

/// `formula` of the reduced argument; for odd functions a zero keeps the sign of x.
template <Lanes (*formula)(Emitter &, Quarter), bool isOddFunction>
static Lanes reduced(Emitter &e, Lanes x, StringRef name) {
  Lanes result = formula(e, reduce(e, x));
  if (isOddFunction)
    result = e.select(x == 0.0, x, result);
  return e.whenAny(e.abs(x) > reductionBound(x), [&] { return e.libm(name, x); }, result);
}

/// sin(pi x) and cos(pi x): k counts halves, so twice the argument is what is rounded.
template <Lanes (*formula)(Emitter &, Quarter)> static Lanes inUnitsOfPi(Emitter &e, ArrayRef<Lanes> x) {
  Lanes y = x[0];
  Lanes bounded = e.select(e.abs(y) < (y.isF64() ? 0x1p50 : 0x1p21), y, y - e.trunc(y * 0.5) * 2);
  Lanes magic = y.like(y.isF64() ? 0x1.8p52 : 0x1.8p23);
  Lanes shifted = bounded + bounded + magic;
  Lanes r = e.fma(shifted - magic, y.like(-0.5), bounded) * 3.141592653589793;
  return formula(e, evaluate(e, r, e.bitsOf(shifted)));
}

void addTrigonometry(FunctionTable &table) {
  table["sin"] = {[](Emitter &e, ArrayRef<Lanes> x) { return reduced<sine, true>(e, x[0], "sin"); }};
  table["cos"] = {[](Emitter &e, ArrayRef<Lanes> x) { return reduced<cosine, false>(e, x[0], "cos"); }};
  table["tan"] = {[](Emitter &e, ArrayRef<Lanes> x) { return reduced<tangent, true>(e, x[0], "tan"); }};
  table["sinpi"] = {inUnitsOfPi<sine>};
  table["cospi"] = {inUnitsOfPi<cosine>};
}

} // namespace blockdsl
