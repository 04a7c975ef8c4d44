//===- ElementCosts.cpp - Estimated work for one element of a block --------===//

#include "blockdsl/Plan/ElementCosts.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace blockdsl {

bool onlyMoves(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return !linalgOp || isa<BlockArgument>(linalgOp.getBlock()->getTerminator()->getOperand(0));
}

/// Returns the cost of a scalar op. Integer arithmetic on indices is free: addresses have to be computed anyway.
static int64_t costOf(Operation *op, bool onData) {
  if (isa<LoadOp, tensor::ExtractOp>(op))
    return 4;
  if (isTranscendental(op))
    return 16;
  if (isa<arith::DivFOp, arith::RemFOp, PreciseDivFOp, PreciseSqrtOp>(op))
    return 4;
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return onData ? 4 : 0;
  if (op->getNumRegions() != 0)
    return 16;
  return op->getNumResults() == 1 && (onData || isa<FloatType>(op->getResult(0).getType())) ? 1 : 0;
}

int64_t ElementCosts::getCost(Value block) {
  block = getDefinition(block);
  if (auto found = costs.find(block); found != costs.end())
    return found->second;
  Operation *op = block.getDefiningOp();
  int64_t cost = 0;
  if (op && isFusible(op)) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Operation &inner : linalgOp.getBlock()->without_terminator())
        cost += costOf(&inner, moves.contains(block));
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        cost += getCost(operand);
  } else {
    cost = 1; // a read of a buffer
  }
  return costs[block] = std::min<int64_t>(cost, 1 << 20);
}

int64_t ElementCosts::getLength(Value block) {
  block = getDefinition(block);
  if (auto found = lengths.find(block); found != lengths.end())
    return found->second;
  int64_t length = 0;
  Operation *op = block.getDefiningOp();
  if (op && isFusible(op)) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      length = llvm::range_size(linalgOp.getBlock()->without_terminator());
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        length += getLength(operand);
  }
  return lengths[block] = std::min<int64_t>(length, 1 << 20);
}

//===-- Moves of elements ---------------------------------------------------===//

/// Returns true if one op uses `block`, in its nest or through the result of the nest.
static bool hasOneConsumer(Value block) {
  unsigned uses = 0;
  for (OpOperand &use : block.getUses()) {
    auto yield = dyn_cast<cpu::YieldOp>(use.getOwner());
    Value result = yield ? Value(yield->getParentOp()->getResult(use.getOperandNumber())) : Value();
    uses += result ? llvm::range_size(result.getUses()) : 1;
  }
  return uses == 1;
}

/// Counts the ops that move elements (transposes, reshapes) on the way to a result. In a chain of them, as in a sorting
/// network, one element is computed from exponentially many others, so a block after three moves is materialized.
void ElementCosts::countMoves(Operation *op) {
  if (!isFusible(op)) {
    for (Value result : op->getResults())
      moves[result] = 0;
    return;
  }
  std::optional<unsigned> count;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto source = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!source || (linalgOp && linalgOp.isDpsInit(&operand)))
      continue;
    auto found = moves.find(getDefinition(operand.get()));
    if (found == moves.end())
      continue; // computed from indices and scalars only: cheap at any index
    bool isMove = linalgOp ? !linalgOp.getMatchingIndexingMap(&operand).isIdentity() : true;
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    bool counts = isMove && source.getNumElements() >= result.getNumElements() / 2 && source.getNumElements() > 1;
    count = std::max(count.value_or(0), found->second + (counts ? 1 : 0));
  }
  bool loads = false;
  if (linalgOp)
    for (Operation &inner : *linalgOp.getBlock())
      loads |= isa<LoadOp, tensor::ExtractOp>(inner);
  if (!count && !loads)
    return;
  for (Value result : op->getResults()) {
    moves[result] = count.value_or(0);
    if (moves[result] >= 3 && !onlyMoves(op) && !hasOneConsumer(result)) {
      movedTooOften.push_back(result);
      costs[result] = 1;
      moves[result] = 0;
    }
  }
}

bool ElementCosts::isData(Value block) const { return moves.contains(getDefinition(block)); }

ElementCosts::ElementCosts(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    countMoves(op);
    return isa<linalg::LinalgOp, ReduceOp, ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

} // namespace blockdsl
