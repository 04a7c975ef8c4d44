//===- AccessArithmetic.h - Arithmetic of access formulas ---------------------------------------------------------===//
//
// Exact arithmetic on integers of up to 64 bits. Operations that wrap have no result.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H
#define BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H

#include "blockdsl/Runtime/AccessCode.h"

namespace blockdsl::runtime {

/// Returns true if a value fits in a signed integer of that width, or is 0 or 1 for a width of 1.
bool fits(int64_t value, unsigned width);

/// Sign-extends the low bits of a slot.
int64_t signExtended(uint64_t bits, unsigned width);

/// Computes an operation on exact operands. Returns false if the result is inexact or does not fit in 64 bits.
bool compute(AccessOp op, unsigned width, int64_t a, int64_t b, int64_t &result);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H
