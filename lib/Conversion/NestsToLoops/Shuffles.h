//===- Shuffles.h - Vectors interleaved, joined and transposed -------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H

#include "mlir/IR/Builders.h"

namespace blockdsl {

using Vectors = llvm::SmallVector<mlir::Value>;

/// Elements of the same place in each of two or four vectors become neighbors, in as many vectors.
Vectors interleaveElements(mlir::OpBuilder &b, mlir::Location loc, Vectors vectors);

/// All lanes of the vectors, one after the other.
mlir::Value concatenate(mlir::OpBuilder &b, mlir::Location loc, Vectors vectors);

/// The transpose of as many vectors as they have lanes, a power of two.
Vectors transpose(mlir::OpBuilder &b, mlir::Location loc, Vectors rows);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H
