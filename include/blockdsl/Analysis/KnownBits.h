//===- KnownBits.h - Known bits and ranges of emitted integers ---*- C++ -*-===//
//
// All results hold for integers that wrap: divisors are powers of two, so that a carry out of the top bit keeps them.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_KNOWNBITS_H
#define BLOCKDSL_ANALYSIS_KNOWNBITS_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace blockdsl {

/// The depth of the recursion through defining ops.
constexpr int kKnownDepth = 8;
/// The divisor of zero, and the limit of products of divisors.
constexpr int64_t kMostDivisor = int64_t(1) << 30;

/// Returns the largest power of two that is known to divide an integer, an index or a pointer of the dialect tt; 1 if
/// nothing is known.
int64_t knownDivisor(mlir::Value value, int depth = kKnownDepth);
int64_t knownDivisor(const llvm::APInt &number);
/// Returns the divisor of the result of `op`, where `divisorOf` returns those of its operands.
int64_t knownDivisor(mlir::Operation *op, llvm::function_ref<int64_t(mlir::Value)> divisorOf);

/// Returns the known range of an integer or index scalar, all numbers of its type if nothing is known.
mlir::ConstantIntRanges knownRange(mlir::Value value, int depth = kKnownDepth);

/// Returns true if `value + by` does not wrap in the type of `value` for any `by` from `least` to `most`.
bool neverWraps(mlir::Value value, int64_t least, int64_t most, bool isSigned);

/// Returns the largest known alignment of an LLVM pointer in bytes, 1 if nothing is known.
int64_t knownAlignment(mlir::Value pointer);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_KNOWNBITS_H
