//===- AccessArithmetic.h - Operations of the formulas of accesses ------------------------------------------------===//
//
// Exact arithmetic on integers of up to 64 bits. An operation of a kernel that wraps has no result here.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H
#define BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H

#include "blockdsl/Runtime/AccessCode.h"

namespace blockdsl::runtime {

/// Whether an integer is one of so many bits: signed, or 0 and 1 if it is one bit.
bool fits(int64_t value, unsigned width);

/// An argument as its slot has it: only the bits of its width count.
int64_t signExtended(uint64_t bits, unsigned width);

/// Computes an operation whose operands are exact. False if the result is not, or is more than an integer of 64 bits.
bool compute(AccessOp op, unsigned width, int64_t a, int64_t b, int64_t &result);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_ACCESSARITHMETIC_H
