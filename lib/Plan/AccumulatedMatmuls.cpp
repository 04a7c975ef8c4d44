//===- AccumulatedMatmuls.cpp - Matmuls that a loop adds to a block --------===//

#include "blockdsl/Plan/AccumulatedMatmuls.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

linalg::LinalgOp getAccumulated(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  Value yielded = loop.getYieldedValues()[index], computed = yielded;
  auto nest = yielded.getDefiningOp<cpu::NestOp>();
  if (nest && nest->getNumResults() == 1)
    computed = nest.getYielded(nest->getResult(0));
  auto matmul = computed.getDefiningOp<linalg::LinalgOp>();
  bool adds = matmul && isa<linalg::MatmulOp, linalg::BatchMatmulOp>(matmul.getOperation()) &&
              yielded.getParentBlock() == loop.getBody() && matmul.getDpsInitOperand(0)->get() == carried;
  return adds && carried.hasOneUse() && yielded.hasOneUse() ? matmul : linalg::LinalgOp();
}

bool startsWithZero(scf::ForOp loop, unsigned index) {
  Value start = loop.getInitArgs()[index];
  return matchPattern(start, m_Zero()) || matchPattern(start, m_PosZeroFloat());
}

/// Returns true for a scalar op whose order among the matmuls of several iterations does not matter.
static bool isIndependent(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) || op->getNumRegions() != 0)
    return false;
  auto load = dyn_cast<LoadOp>(op);
  return load ? !load.getIsVolatile() : isMemoryEffectFree(op);
}

cpu::NestOp findMergeableMatmul(scf::ForOp loop) {
  cpu::NestOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto nest = dyn_cast<cpu::NestOp>(op);
    if (nest && nest.getMatmulAttr() && !only)
      only = nest;
    else if (!isFusible(&op) && !isIndependent(&op))
      return {};
  }
  unsigned accumulated = 0;
  for (unsigned index = 0; index < loop.getNumResults(); ++index)
    accumulated += isa<RankedTensorType>(loop.getResult(index).getType()) && getAccumulated(loop, index);
  bool isYielded = only && llvm::is_contained(loop.getYieldedValues(), only->getResult(0));
  return isYielded && accumulated == 1 ? only : cpu::NestOp();
}

bool canEvaluate(Value block, ValuePredicate isKept, ValuePredicate isAvailable, Value given, bool mayRead) {
  llvm::SetVector<Value> blocks;
  blocks.insert(block);
  auto isThere = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      return blocks.insert(value), true;
    return isAvailable(value);
  };
  for (unsigned next = 0; next < blocks.size(); ++next) {
    if (blocks[next] == given)
      continue;
    Operation *def = blocks[next].getDefiningOp();
    if (!def || !isFusible(def) || isKept(blocks[next]))
      return false;
    llvm::SetVector<Value> used(def->operand_begin(), def->operand_end());
    getUsedValuesDefinedAbove(def->getRegions(), used);
    bool reads = def->walk([&](Operation *inner) {
                      bool isRead = isa<tensor::ExtractOp>(inner) || (isa<LoadOp>(inner) && !mayRead);
                      return isRead ? WalkResult::interrupt() : WalkResult::advance();
                    })
                     .wasInterrupted();
    if (reads || !llvm::all_of(used, isThere))
      return false;
  }
  return true;
}

DemandedMask getDemandedMaskOfMatmul(linalg::LinalgOp matmul) {
  Value block = matmul->getResult(0), accumulator = matmul.getDpsInitOperand(0)->get();
  for (auto around = dyn_cast<scf::ForOp>(matmul->getParentOp()); around && block.hasOneUse();
       around = dyn_cast<scf::ForOp>(around->getParentOp())) {
    auto carried = dyn_cast<BlockArgument>(accumulator);
    OpOperand &use = *block.use_begin();
    if (!carried || carried.getOwner() != around.getBody() || !carried.hasOneUse() ||
        use.getOwner() != around.getBody()->getTerminator() ||
        carried != around.getRegionIterArg(use.getOperandNumber()))
      break;
    block = around.getResult(use.getOperandNumber());
    accumulator = around.getInitArgs()[use.getOperandNumber()];
  }
  return getDemandedMask(block);
}

} // namespace blockdsl
