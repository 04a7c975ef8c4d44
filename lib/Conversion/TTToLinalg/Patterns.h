//===- Patterns.h - Patterns of the tt -> linalg conversion, by family -----===//
//
// One populate function per op family, and shared functions that create linalg ops.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_TTTOLINALG_PATTERNS_H
#define BLOCKDSL_LIB_CONVERSION_TTTOLINALG_PATTERNS_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace blockdsl {

void populateDebugToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateDotToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateElementwiseToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateMemoryToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateProgramToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateReduceToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateShapeToLinalgPatterns(mlir::RewritePatternSet &patterns);

using BodyBuilder = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Creates a `tensor.empty` of `type`, a destination that is never read.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type);

/// Creates a `linalg.generic` over all elements of `type` that reads each input through its map.
mlir::linalg::GenericOp createGeneric(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                                      mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps,
                                      BodyBuilder body);

/// Creates a `linalg.generic` without results over the shape of its inputs, for ops that only have effects.
void createEffects(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs, BodyBuilder body);

/// Clones the block op `op` into a linalg body as a scalar op, with `scalars` in place of the block operands. Scalar
/// operands are captured.
mlir::Operation *cloneAsScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange scalars);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TTTOLINALG_PATTERNS_H
