//===- BlockDivisors.cpp - Divisors of the elements of blocks ---------------===//

#include "blockdsl/Analysis/BlockDivisors.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace blockdsl {

int64_t BlockDivisors::ofBody(linalg::LinalgOp op, Value scalar, ArrayRef<int64_t> loops, int depth) const {
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return knownDivisor(operand->get(), depth);
    SmallVector<int64_t> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.push_back(loops[dim.getPosition()]);
      else
        dims.push_back(knownDivisor(APInt(64, cast<AffineConstantExpr>(expr).getValue())));
    return ofBlock(operand->get(), dims, depth);
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock() || def->hasTrait<OpTrait::ConstantLike>())
    return knownDivisor(scalar, depth);
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return loops[index.getDim()];
  return depth == 0 ? 1 : knownDivisor(def, [&](Value operand) { return ofBody(op, operand, loops, depth - 1); });
}

/// Returns divisors of the indices in the source of a reshaped block.
static SmallVector<int64_t> divisorsInSource(tensor::ExpandShapeOp expand, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> source;
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    int64_t divisor = kMostDivisor, extent = 1;
    for (int64_t dim : llvm::reverse(group)) {
      if (shape[dim] != 1)
        divisor = std::min(divisor, dims[dim] * (extent & -extent));
      extent *= shape[dim];
    }
    source.push_back(divisor);
  }
  return source;
}

static SmallVector<int64_t> divisorsInSource(tensor::CollapseShapeOp collapse, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  SmallVector<int64_t> source(shape.size(), kMostDivisor);
  for (auto [divisor, group] : llvm::zip(dims, collapse.getReassociationIndices())) {
    int64_t quotient = divisor;
    for (int64_t dim : llvm::reverse(group)) {
      if (shape[dim] == 1)
        continue;
      source[dim] = std::min(quotient, shape[dim] & -shape[dim]);
      quotient = quotient % shape[dim] == 0 ? quotient / shape[dim] : 1;
    }
  }
  return source;
}

/// Returns the divisor of an element of `block` where its indices are multiples of `dims`.
int64_t BlockDivisors::ofBlock(Value block, ArrayRef<int64_t> dims, int depth) const {
  if (std::optional<int64_t> constant = getConstantElement(block))
    return knownDivisor(APInt(64, *constant, /*isSigned=*/true));
  if (isInMemory(block))
    return 1;
  if (auto expand = block.getDefiningOp<tensor::ExpandShapeOp>())
    return ofBlock(expand.getSrc(), divisorsInSource(expand, dims), depth);
  if (auto collapse = block.getDefiningOp<tensor::CollapseShapeOp>())
    return ofBlock(collapse.getSrc(), divisorsInSource(collapse, dims), depth);
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || !isFusible(op))
    return 1;
  SmallVector<int64_t> loops(op.getNumLoops(), 1);
  auto result = cast<OpResult>(block);
  for (auto [dim, expr] : llvm::zip(dims, op.getIndexingMapMatchingResult(result).getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = dim;
  return ofBody(op, op.getBlock()->getTerminator()->getOperand(result.getResultNumber()), loops, depth);
}

} // namespace blockdsl
