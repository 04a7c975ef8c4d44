//===- FloatConversions.h - The conversions LLVM calls where the CPU has none -------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
#define BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H

#include <cstdint>

namespace blockdsl::runtime {

uint16_t floatToHalfBits(float value);
uint16_t doubleToHalfBits(double value);
uint16_t floatToBFloatBits(float value);
uint16_t doubleToBFloatBits(double value);
float halfBitsToFloat(uint16_t bits);

// The same for compiled kernels, in the registers that LLVM's callers use. Our own code never calls these: around a
// value of such a type the compiler may put calls to functions that not every libgcc has.
using Half16 = _Float16;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
using BFloat16 = _Float16; // GCC 12 has no __bf16; both are handed over in the same register.
#else
using BFloat16 = __bf16;
#endif
Half16 truncateFloatToHalf(float value);
Half16 truncateDoubleToHalf(double value);
BFloat16 truncateFloatToBFloat(float value);
BFloat16 truncateDoubleToBFloat(double value);
float extendHalfToFloat(Half16 value);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
