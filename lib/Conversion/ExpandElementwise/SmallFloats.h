//===- SmallFloats.h - Conversions between float types ---------------------===//
//
// f16, bf16 and the 8-bit floats are stored and converted, never computed with: arithmetic on them is arithmetic on f32
// with the result rounded.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_SMALLFLOATS_H
#define BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_SMALLFLOATS_H

#include "Emitter.h"

namespace blockdsl {

/// Returns true for float types narrower than f32.
bool isSmallFloat(mlir::Type element);

enum class Rounding { NearestEven, TowardZero };

/// Converts lanes between float types: exactly to a wider type, otherwise rounded once.
Lanes convertFloat(Emitter &e, Lanes x, mlir::Type element, Rounding rounding = Rounding::NearestEven);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_SMALLFLOATS_H
