//===- BlockDivisors.h - Divisors of the elements of blocks -----------------===//
//
// Powers of two that divide the elements of a block at some of its indices, such as the first index of each vector.
// They hold for integers that wrap.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_BLOCKDIVISORS_H
#define BLOCKDSL_ANALYSIS_BLOCKDIVISORS_H

#include "blockdsl/Analysis/KnownBits.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace blockdsl {

class BlockDivisors {
public:
  /// `isInMemory`: blocks that are read from memory, whose elements may be any.
  explicit BlockDivisors(std::function<bool(mlir::Value)> isInMemory) : isInMemory(std::move(isInMemory)) {}

  /// Returns the largest power of two that is known to divide `scalar`, an integer or a pointer in the body of `op`,
  /// where the index of each loop of `op` is a multiple of a number in `loops`.
  int64_t ofBody(mlir::linalg::LinalgOp op, mlir::Value scalar, llvm::ArrayRef<int64_t> loops,
                 int depth = kKnownDepth) const;

private:
  int64_t ofBlock(mlir::Value block, llvm::ArrayRef<int64_t> dims, int depth) const;

  std::function<bool(mlir::Value)> isInMemory;
};

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_BLOCKDIVISORS_H
