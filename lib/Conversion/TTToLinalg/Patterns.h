//===- Patterns.h - Patterns of the tt -> linalg conversion, by family -----===//
//
// One populate function per op family, and the two ways every family makes a linalg op.
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

/// A `tensor.empty` of `type`: the destination linalg asks for, never read.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type);

/// A `linalg.generic` over the whole of `type`, each input read through its map.
mlir::linalg::GenericOp createGeneric(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                                      mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps,
                                      BodyBuilder body);

/// A `linalg.generic` without results over the shape of its inputs, for ops that only have effects.
void createEffects(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs, BodyBuilder body);

/// Clones the block op `op` into a linalg body as the scalar op on `scalars`, which stand for the operands that
/// are blocks; scalar operands are captured.
mlir::Operation *cloneAsScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange scalars);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TTTOLINALG_PATTERNS_H
