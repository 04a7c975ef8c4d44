//===- BlockEquivalence.h - Copies of one computation in several nests -----===//

#ifndef BLOCKDSL_ANALYSIS_BLOCKEQUIVALENCE_H
#define BLOCKDSL_ANALYSIS_BLOCKEQUIVALENCE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace blockdsl {

/// Compares blocks in linalg form. Nests that compute the same block have a copy of its ops each. A block that loads
/// from memory is equivalent only to itself, because a store may execute between its copies.
class BlockEquivalence {
public:
  /// Returns true if `lhs` and `rhs` are one value, or the same ops on equivalent operands.
  bool areEquivalent(mlir::Value lhs, mlir::Value rhs);

private:
  bool areCopies(mlir::Value lhs, mlir::Value rhs);

  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> known;
};

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_BLOCKEQUIVALENCE_H
