//===- SmallFloats.cpp - Conversions between float types -------------------===//
//
// By integer arithmetic on the bits, the same on every CPU, except f32 <-> f16, for which all supported CPUs have an
// instruction. The bf16 instruction of AVX-512 is not used: it flushes denormals.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

using namespace mlir;

namespace blockdsl {

/// The layout of a small float. `overflow` is the code of infinity, or of NaN in types without infinity. Larger numbers
/// than `largest` become `overflow`, but in 8-bit types `largest`, as with the instructions of accelerators.
struct Format {
  int mantissa;
  int bias;
  int64_t largest, overflow, nan;
  /// The sign bit alone is NaN, so there is no negative zero.
  bool hasUnsignedZero = false;
};

static Format formatOf(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return {3, 7, 0x7E, 0x7F, 0x7F};
  if (isa<Float8E4M3FNUZType>(element))
    return {3, 8, 0x7F, 0x80, 0x80, true};
  if (isa<Float8E5M2Type>(element))
    return {2, 15, 0x7B, 0x7C, 0x7F};
  if (isa<Float8E5M2FNUZType>(element))
    return {2, 16, 0x7F, 0x80, 0x80, true};
  if (element.isBF16())
    return {7, 127, 0x7F7F, 0x7F80, 0x7FC0};
  return {10, 15, 0x7BFF, 0x7C00, 0x7E00};
}

bool isSmallFloat(Type element) { return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }

/// Converts 8-bit lanes to f32: the code is shifted to the position of f32's exponent and mantissa, and a product with
/// a power of two corrects the bias, also of denormals.
static Lanes extendFloat8(Emitter &e, Lanes x) {
  Format format = formatOf(x.element());
  Lanes code = e.extendInteger(e.bitsOf(x), 32, /*isSigned=*/false);
  Lanes magnitude = code & int64_t(0x7F);
  Lanes shifted = magnitude << (23 - format.mantissa);
  Type f32 = e.ops().getF32Type();
  Lanes value = e.floatOf(shifted, f32) * std::ldexp(1.0, 127 - format.bias);
  Lanes notANumber = value.like(std::numeric_limits<double>::quiet_NaN());
  if (format.hasUnsignedZero)
    value = e.select(code == e.integer(code.type(), format.nan), notANumber, value);
  else if (format.overflow == format.nan)
    value = e.select(magnitude == e.integer(code.type(), format.nan), notANumber, value);
  else
    value = e.select(magnitude >= e.integer(code.type(), format.overflow),
                     e.floatOf(shifted | int64_t(0x7F800000), f32), value);
  Lanes sign = (code & int64_t(0x80)) << 24;
  return e.floatOf(e.bitsOf(value) | sign, f32);
}

/// Rounds f64 to f32 towards zero. With `keepInexact` an inexact result is made odd, so that rounding it again to fewer
/// bits is equivalent to rounding once.
static Lanes narrowTowardZero(Emitter &e, Lanes x, bool keepInexact) {
  Lanes y = e.narrow(x);
  Lanes back = e.widen(y);
  Lanes bits = e.bitsOf(y);
  Lanes wentUp = e.abs(back) > e.abs(x);
  bits = bits - e.extendInteger(wentUp, 32, /*isSigned=*/false);
  if (keepInexact)
    bits = bits | e.extendInteger(back != x, 32, /*isSigned=*/false);
  return e.floatOf(bits, y.element());
}

static Lanes truncateToBF16(Emitter &e, Lanes x, Rounding rounding) {
  Lanes bits = e.bitsOf(x);
  Lanes upper = bits >> 16;
  if (rounding == Rounding::NearestEven) {
    Lanes rounded = bits + e.integer(bits.type(), 0x7FFF) + (upper & int64_t(1));
    upper = e.select(e.isNaN(x), upper | int64_t(0x40), rounded >> 16);
  } else {
    upper = e.select(e.isNaN(x), upper | int64_t(0x40), upper);
  }
  return e.floatOf(e.truncateInteger(upper, 16), e.ops().getBF16Type());
}

/// Converts f32 lanes to f16 towards zero, or to an 8-bit float.
static Lanes truncateByBits(Emitter &e, Lanes x, Type element, Rounding rounding) {
  Format format = formatOf(element);
  unsigned width = element.getIntOrFloatBitWidth();
  int shift = 23 - format.mantissa;
  Lanes bits = e.bitsOf(x);
  Lanes a = e.abs(x);
  Lanes magnitude = e.bitsOf(a);
  auto number = [&](int64_t n) { return e.integer(bits.type(), n); };

  Lanes normal = magnitude;
  if (rounding == Rounding::NearestEven)
    normal = normal + number((1 << (shift - 1)) - 1) + ((magnitude >> shift) & int64_t(1));
  normal = (normal >> shift) - number(int64_t(127 - format.bias) << format.mantissa);
  // Denormals are multiples of one step.
  Lanes steps = a * std::ldexp(1.0, format.mantissa + format.bias - 1);
  if (rounding == Rounding::NearestEven)
    steps = e.roundEven(steps);
  Lanes code = e.select(a < std::ldexp(1.0, 1 - format.bias), e.convertToInteger(steps, 32), normal);

  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (width == 8)
    code = e.unsignedMin(code, number(format.largest));
  else if (rounding == Rounding::NearestEven)
    code = e.unsignedMin(code, number(format.overflow));
  else
    code = e.select(a == infinity, number(format.overflow), e.unsignedMin(code, number(format.largest)));
  code = e.select(e.isNaN(x), number(format.nan), code);
  Lanes sign = (bits >> 31) << (width - 1);
  if (format.hasUnsignedZero)
    sign = e.select(code == number(0), number(0), sign);
  return e.floatOf(e.truncateInteger(code | sign, width), element);
}

static Lanes extend(Emitter &e, Lanes x, Type element) {
  if (x.element().isBF16())
    return e.floatOf(e.extendInteger(e.bitsOf(x), 32, /*isSigned=*/false) << 16, element);
  return e.make<arith::ExtFOp>(Emitter::withElement(x.type(), element), {x});
}

Lanes convertFloat(Emitter &e, Lanes x, Type element, Rounding rounding) {
  if (x.element() == element)
    return x;
  if (isSmallFloat(x.element())) {
    Lanes single = x.width() == 8 ? extendFloat8(e, x) : extend(e, x, e.ops().getF32Type());
    return convertFloat(e, single, element, rounding);
  }
  if (element.isF64())
    return extend(e, x, element);
  if (x.isF64()) {
    if (element.isF32())
      return rounding == Rounding::NearestEven ? e.narrow(x) : narrowTowardZero(e, x, /*keepInexact=*/false);
    return convertFloat(e, narrowTowardZero(e, x, rounding == Rounding::NearestEven), element, rounding);
  }
  if (element.isBF16())
    return truncateToBF16(e, x, rounding);
  if (element.isF16() && rounding == Rounding::NearestEven)
    return e.make<arith::TruncFOp>(Emitter::withElement(x.type(), element), {x});
  return truncateByBits(e, x, element, rounding);
}

} // namespace blockdsl
