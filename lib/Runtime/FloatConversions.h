//===- FloatConversions.h - The conversions LLVM calls where the CPU has none --------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_FLOATCONVERSIONS_H
#define BLOCKDSL_LIB_RUNTIME_FLOATCONVERSIONS_H

namespace blockdsl::runtime {

// The compiler's own types: they are passed in the registers that LLVM's callers use.
using Half16 = _Float16;
using BFloat16 = __bf16;

Half16 truncateFloatToHalf(float value);
Half16 truncateDoubleToHalf(double value);
BFloat16 truncateFloatToBFloat(float value);
BFloat16 truncateDoubleToBFloat(double value);
float extendHalfToFloat(Half16 value);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_FLOATCONVERSIONS_H
