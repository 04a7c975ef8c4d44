//===- FloatConversions.h - The conversions LLVM calls where the CPU has none -------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
#define BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H

#include <cstdint>

namespace blockdsl::runtime {

uint16_t floatToHalfBits(float value);
uint16_t doubleToHalfBits(double value);
uint16_t doubleToBFloatBits(double value);
float halfBitsToFloat(uint16_t bits);

// The same for compiled kernels, in the registers that LLVM's callers use; a bf16 is an integer to them. Our own code
// never calls these: around a value of such a type the compiler may put calls to functions that not every libgcc has.
using Half16 = _Float16;
Half16 truncateFloatToHalf(float value);
Half16 truncateDoubleToHalf(double value);
float extendHalfToFloat(Half16 value);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
