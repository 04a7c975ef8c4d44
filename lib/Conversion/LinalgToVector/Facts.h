//===- Facts.h - What is known of an emitted integer -----------------------===//
//
// Everything here holds of integers that wrap: divisors are powers of two, which a carry out of the top leaves alone.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FACTS_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FACTS_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace blockdsl {

/// The largest power of two that is known to divide an integer scalar, 1 when nothing is known.
int64_t knownDivisor(mlir::Value value);

/// What an integer or index scalar lies between.
mlir::ConstantIntRanges knownRange(mlir::Value value);

/// Whether `value + by` is no other number in more bits, for every `by` from `least` to `most`.
bool staysInType(mlir::Value value, int64_t least, int64_t most, bool isSigned);

/// The largest known alignment of an emitted address in bytes, 1 when nothing is known.
int64_t knownAlignment(mlir::Value pointer);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FACTS_H
