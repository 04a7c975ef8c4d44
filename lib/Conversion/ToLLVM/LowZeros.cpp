//===- LowZeros.cpp - Known trailing zero bits -----------------------------===//

#include "LowZeros.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace blockdsl {

LowZeros::LowZeros(LLVM::LLVMFuncOp function) {
  for (BlockArgument argument : function.getArguments())
    zeros[argument] = 0;
  SmallVector<Value> written;
  function.walk([&](Operation *op) {
    if (isa<LLVM::StoreOp, LLVM::MaskedStoreOp>(op) && !matchPattern(op->getOperand(0), m_Constant()))
      written.push_back(op->getOperand(0));
  });
  // A fixed point, because values pass through loops and memory. All bits are zero initially.
  for (bool changed = true; changed;) {
    changed = false;
    stored = 0;
    for (Value value : written)
      stored = std::max(stored, lookup(value));
    function.walk([&](Operation *op) { changed |= visit(op); });
  }
}

/// Lowers the number of zero bits of a value; returns true if it changed.
bool LowZeros::lower(Value value, unsigned count) {
  auto [entry, isNew] = zeros.try_emplace(value, count);
  if (count >= entry->second)
    return isNew;
  entry->second = count;
  return true;
}

bool LowZeros::visit(Operation *op) {
  bool changed = false;
  for (Value result : op->getResults())
    changed |= lower(result, of(op));
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    for (auto [index, block] : llvm::enumerate(op->getSuccessors()))
      for (BlockArgument argument : block->getArguments())
        changed |= lower(argument, lookup(branch.getSuccessorOperands(index)[argument.getArgNumber()]));
  return changed;
}

unsigned LowZeros::of(Operation *op) const {
  if (isa<LLVM::LoadOp, LLVM::MaskedLoadOp>(op))
    return stored;
  auto operand = [&](unsigned i) { return lookup(op->getOperand(i)); };
  if (APInt constant; matchPattern(op, m_ConstantInt(&constant)))
    return of(constant);
  if (DenseIntElementsAttr lanes; matchPattern(op, m_Constant(&lanes))) {
    unsigned fewest = all;
    for (const APInt &lane : lanes.getValues<APInt>())
      fewest = std::min(fewest, of(lane));
    return fewest;
  }
  if (isa<LLVM::PoisonOp, LLVM::BitReverseOp>(op))
    return all;
  if (isa<LLVM::ShlOp>(op)) {
    APInt amount;
    return matchPattern(op->getOperand(1), m_ConstantInt(&amount)) && amount.ult(all)
               ? std::min<unsigned>(all, operand(0) + amount.getZExtValue())
               : all;
  }
  if (isa<LLVM::MulOp>(op))
    return std::min(all, operand(0) + operand(1));
  if (isa<LLVM::AndOp>(op))
    return std::max(operand(0), operand(1));
  if (isa<LLVM::SelectOp>(op))
    return std::min(operand(1), operand(2));
  if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::OrOp, LLVM::XOrOp, LLVM::InsertElementOp, LLVM::ShuffleVectorOp>(op))
    return std::min(operand(0), operand(1));
  return isa<LLVM::FreezeOp, LLVM::ExtractElementOp, LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp>(op) ? operand(0) : 0;
}

} // namespace blockdsl
