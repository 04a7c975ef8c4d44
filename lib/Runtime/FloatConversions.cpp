//===- FloatConversions.cpp - Float conversions for CPUs that lack them -------------------------------------------===//
//
// The functions of compiler-rt that convert between 16-bit and wider floats, in bit arithmetic, rounding to nearest
// even. They have other names here, which lookupKernelSymbol maps, so that they do not clash with compiler-rt when
// linked.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/FloatConversions.h"

#include <cstdint>
#include <cstring>

using namespace blockdsl::runtime;

namespace {

template <typename To, typename From> To bitcast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Narrows a float, given by its bits, to `fractionBits` and `exponentBits`, 16 bits in total. A double is narrowed in
/// one step, because rounding to f32 first would round twice.
template <typename Wide, int wideFraction, int wideExponent, int fractionBits, int exponentBits>
uint16_t narrow(Wide bits) {
  constexpr int wideBias = (1 << (wideExponent - 1)) - 1;
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int dropped = wideFraction - fractionBits;
  constexpr int largest = (1 << exponentBits) - 1;
  auto sign = static_cast<uint16_t>((bits >> (wideFraction + wideExponent)) << 15);
  int exponent = static_cast<int>((bits >> wideFraction) & ((Wide(1) << wideExponent) - 1));
  Wide fraction = bits & ((Wide(1) << wideFraction) - 1);
  if (exponent == (1 << wideExponent) - 1) {
    auto payload = static_cast<uint16_t>(fraction >> dropped);
    auto quiet = static_cast<uint16_t>(fraction ? 1 << (fractionBits - 1) : 0);
    return sign | static_cast<uint16_t>(largest << fractionBits) | payload | quiet;
  }
  int shifted = exponent - wideBias + bias;
  if (exponent == 0) // A subnormal has the exponent of the smallest normal number and no leading one.
    ++shifted;
  else
    fraction |= Wide(1) << wideFraction;
  int shift = dropped + (shifted < 1 ? 1 - shifted : 0);
  if (shift > wideFraction + 2)
    return sign;
  Wide quotient = fraction >> shift;
  Wide remainder = fraction & ((Wide(1) << shift) - 1);
  Wide half = Wide(1) << (shift - 1);
  if (remainder > half || (remainder == half && (quotient & 1)))
    ++quotient;
  // The leading one of `quotient` adds one to the exponent field, as does a carry out of the fraction.
  auto result = quotient + (static_cast<Wide>(shifted < 1 ? 0 : shifted - 1) << fractionBits);
  if (result >= (static_cast<Wide>(largest) << fractionBits))
    result = static_cast<Wide>(largest) << fractionBits;
  return sign | static_cast<uint16_t>(result);
}

} // namespace

uint16_t blockdsl::runtime::floatToHalfBits(float value) {
  return narrow<uint32_t, 23, 8, 10, 5>(bitcast<uint32_t>(value));
}

uint16_t blockdsl::runtime::doubleToHalfBits(double value) {
  return narrow<uint64_t, 52, 11, 10, 5>(bitcast<uint64_t>(value));
}

uint16_t blockdsl::runtime::doubleToBFloatBits(double value) {
  return narrow<uint64_t, 52, 11, 7, 8>(bitcast<uint64_t>(value));
}

float blockdsl::runtime::halfBitsToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
  uint32_t exponent = (bits >> 10) & 31;
  uint32_t fraction = bits & 1023;
  if (exponent == 31)
    return bitcast<float>(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0));
  if (exponent != 0)
    return bitcast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return bitcast<float>(sign | bitcast<uint32_t>(magnitude));
}

Half16 blockdsl::runtime::truncateFloatToHalf(float value) { return bitcast<Half16>(floatToHalfBits(value)); }
Half16 blockdsl::runtime::truncateDoubleToHalf(double value) { return bitcast<Half16>(doubleToHalfBits(value)); }
float blockdsl::runtime::extendHalfToFloat(Half16 value) { return halfBitsToFloat(bitcast<uint16_t>(value)); }
