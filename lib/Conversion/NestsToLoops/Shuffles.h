//===- Shuffles.h - Interleaving, concatenation and transposition of vectors ===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H

#include "mlir/IR/Builders.h"

namespace blockdsl {

using Vectors = llvm::SmallVector<mlir::Value>;

/// Interleaves the elements of two or four vectors; returns as many vectors.
Vectors interleaveElements(mlir::OpBuilder &b, mlir::Location loc, Vectors vectors);

/// Concatenates vectors, whose number is a power of two.
mlir::Value concatenate(mlir::OpBuilder &b, mlir::Location loc, Vectors vectors);

/// Transposes as many vectors as they have lanes, a power of two.
Vectors transpose(mlir::OpBuilder &b, mlir::Location loc, Vectors rows);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_SHUFFLES_H
