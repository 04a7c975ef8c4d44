//===- FloatConversions.h - Float conversions for CPUs that lack them ---------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
#define BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H

#include <cstdint>

namespace blockdsl::runtime {

uint16_t floatToHalfBits(float value);
uint16_t doubleToHalfBits(double value);
uint16_t doubleToBFloatBits(double value);
float halfBitsToFloat(uint16_t bits);

// The same with the calling convention that LLVM uses in compiled kernels, where a bf16 is an integer. Not called from
// C++: for values of this type the compiler may emit calls of functions that some versions of libgcc lack.
using Half16 = _Float16;
Half16 truncateFloatToHalf(float value);
Half16 truncateDoubleToHalf(double value);
float extendHalfToFloat(Half16 value);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_FLOATCONVERSIONS_H
