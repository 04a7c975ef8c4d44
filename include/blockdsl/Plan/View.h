//===- View.h - A block and the loops that index it ------------------------===//
//
// A nest indexes each block that it uses with its own loops. From the loops of a block follow those of the op that
// computes it, and those of the blocks that it is computed from.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_VIEW_H
#define BLOCKDSL_PLAN_VIEW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace blockdsl {

/// A block and, for each of its dimensions, the loop of the nest that indexes it, or -1.
struct View {
  mlir::Value block;
  llvm::SmallVector<int, 4> loops;
};

/// Returns the view of a block of the same shape as the nest, which indexes it with its own loops.
View viewOf(mlir::Value block, llvm::ArrayRef<int64_t> shape);

/// Returns the loop of the nest for each loop of `op`, which computes the block of `view`.
llvm::SmallVector<int, 4> getLoops(mlir::linalg::LinalgOp op, const View &view);

/// Returns the view of an operand of `op`, whose loops are `loops` in the nest. A constant index has no loop.
View viewOfOperand(mlir::linalg::LinalgOp op, mlir::OpOperand *operand, llvm::ArrayRef<int> loops);

/// Returns true if each constant index of an operand of `op` is 0, which a view implies where it has no loop.
bool startsAtZero(mlir::linalg::LinalgOp op, mlir::OpOperand *operand);

/// Returns the view of the block that a reshape splits or merges. A merged dimension has the loop of its innermost
/// part, along which it is contiguous.
View viewOfSource(mlir::tensor::ExpandShapeOp expand, const View &view);
View viewOfSource(mlir::tensor::CollapseShapeOp collapse, const View &view);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_VIEW_H
