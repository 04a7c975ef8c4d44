//===- SymbolsTest.cpp - Functions that kernels may call, and float conversions -----------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"

#include "blockdsl/Runtime/FloatConversions.h"
#include "blockdsl/Runtime/LaunchContext.h"

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace blockdsl::runtime;

namespace {

template <typename To, typename From> To bitcast(From from) {
  To to;
  static_assert(sizeof(to) == sizeof(from));
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

bool isNaN(uint32_t bits, int exponentMask) { return (bits & 0x7fff) > static_cast<uint32_t>(exponentMask); }

bool sameHalf(uint16_t bits, Half16 expected) {
  auto other = bitcast<uint16_t>(expected);
  return bits == other || (isNaN(bits, 0x7c00) && isNaN(other, 0x7c00));
}

/// The reference for f16 is a cast by the C++ compiler; for bf16, manual rounding.
void conversionsRoundToNearestEven() {
  int wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = bitcast<Half16>(static_cast<uint16_t>(bits));
    auto wide = static_cast<float>(half);
    float ours = halfBitsToFloat(static_cast<uint16_t>(bits));
    wrong += bitcast<uint32_t>(ours) != bitcast<uint32_t>(wide) && !(std::isnan(ours) && std::isnan(wide));
    wrong += !sameHalf(floatToHalfBits(wide), half);
    wrong += !sameHalf(doubleToHalfBits(wide), half);
  }
  for (uint64_t step = 0; step < 4000000; ++step) {
    auto bits = static_cast<uint32_t>(step * 2654435761u);
    auto single = bitcast<float>(bits);
    wrong += !sameHalf(floatToHalfBits(single), static_cast<Half16>(single));
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    if (!std::isnan(single))
      wrong += doubleToBFloatBits(static_cast<double>(single)) != rounded;
    // Exponents in and around the range of f16.
    double wide = std::ldexp(1.0 + static_cast<double>(step) * 0x1p-22, static_cast<int>(step % 48) - 28);
    wrong += !sameHalf(doubleToHalfBits(wide), static_cast<Half16>(wide));
  }
  CHECK(wrong == 0);
  CHECK(isNaN(floatToHalfBits(NAN), 0x7c00));
  CHECK(isNaN(doubleToBFloatBits(NAN), 0x7f80));
  CHECK(doubleToBFloatBits(1e300) == 0x7f80);
  // A conversion through f32 would round twice, and up.
  CHECK(doubleToHalfBits(1.0 + 0x1p-11 - 0x1p-40) == 0x3c00);
}

void symbolsAreAShortList() {
  for (const char *name : {"expm1", "lgammaf", "j0", "memset", "blockdsl_print", "__truncdfhf2", "blockdsl_libm_pow"})
    CHECK(lookupKernelSymbol(name) != nullptr);
  for (const char *name : {"malloc", "free", "system", "memrefCopy", "f", "", "printf", "blockdsl_libm_system"})
    CHECK(lookupKernelSymbol(name) == nullptr);
}

} // namespace

int main() {
  return runTests({
      {"conversions round to nearest even", conversionsRoundToNearestEven},
      {"symbols are a short list", symbolsAreAShortList},
  });
}
