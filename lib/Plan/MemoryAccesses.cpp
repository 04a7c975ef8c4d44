//===- MemoryAccesses.cpp - Order of the memory accesses of nests ----------===//

#include "blockdsl/Plan/MemoryAccesses.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace blockdsl {

void MemoryAccesses::collectAccesses(Operation *op, SmallVectorImpl<MemoryAccess> &reads,
                                     SmallVectorImpl<MemoryAccess> &writesOut) const {
  op->walk([&](Operation *inner) {
    auto addressOf = [&](Value pointer) -> MemoryAccess {
      Value address = pointer;
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner->getParentOp()))
        if (auto argument = dyn_cast<BlockArgument>(pointer))
          address = getBodyOperand(linalgOp, argument);
      return {pointers.getBase(address), address, false};
    };
    if (auto load = dyn_cast<LoadOp>(inner)) {
      reads.push_back(addressOf(load.getPtr()));
      reads.back().isVolatile = load.getIsVolatile();
      if (load.getIsVolatile())
        writesOut.push_back(reads.back());
    } else if (auto store = dyn_cast<StoreOp>(inner)) {
      writesOut.push_back(addressOf(store.getPtr()));
    } else if (auto print = dyn_cast<PrintOp>(inner)) {
      // Prints stay in order with each other, but access no memory.
      Value printed = print.getArgs().empty() ? Value() : print.getArgs().front();
      writesOut.push_back({printed, printed, /*isBuffer=*/false, /*isVolatile=*/true});
    } else if (isa<TTDialect>(inner->getDialect()) && !isMemoryEffectFree(inner) &&
               !isa<AssertOp, ReduceOp, ScanOp>(inner)) {
      writesOut.push_back({});
    }
  });
}

void MemoryAccesses::collectReads(Value block, SmallVectorImpl<MemoryAccess> &reads, bool inPlace) const {
  // Values to visit, each with a flag: it is only read at the consumer's own index.
  SmallVector<std::pair<Value, bool>> worklist = {{block, inPlace}};
  llvm::DenseSet<Value> seen[2];
  while (!worklist.empty()) {
    auto [value, same] = worklist.pop_back_val();
    if (!seen[same].insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isFusible(op) || (isMaterialized(value) && value != block)) {
      reads.push_back({value, same ? value : Value(), true});
      continue;
    }
    SmallVector<MemoryAccess> mine, none;
    collectAccesses(op, mine, none);
    for (MemoryAccess access : mine)
      reads.push_back({access.object, same ? access.address : Value(), access.isBuffer, access.isVolatile});
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      if (linalgOp && linalgOp.isDpsInit(&operand))
        continue;
      worklist.push_back({operand.get(), same && linalgOp && linalgOp.getMatchingIndexingMap(&operand).isIdentity()});
    }
    // The body reads these blocks at computed indices.
    op->walk([&](tensor::ExtractOp extract) { worklist.push_back({extract.getTensor(), false}); });
  }
}

bool MemoryAccesses::mayConflict(const MemoryAccess &lhs, const MemoryAccess &rhs) const {
  if (lhs.isBuffer || rhs.isBuffer)
    return lhs.isBuffer && rhs.isBuffer && lhs.object == rhs.object;
  if (!lhs.object || !rhs.object || !argumentsDisjoint || (lhs.isVolatile && rhs.isVolatile))
    return true;
  return lhs.object == rhs.object;
}

bool MemoryAccesses::isNeverWritten(Operation *function, Value block) const {
  SmallVector<MemoryAccess> reads, others, writes;
  collectReads(block, reads);
  for (Operation &op : function->getRegion(0).getOps())
    collectAccesses(&op, others, writes);
  return !hasAtomics(function) && llvm::all_of(reads, [&](const MemoryAccess &read) {
    return !read.isBuffer && !read.isVolatile &&
           llvm::none_of(writes, [&](const MemoryAccess &write) { return mayConflict(read, write); });
  });
}

bool MemoryAccesses::meetElementwise(const MemoryAccess &lhs, const MemoryAccess &rhs) const {
  if (lhs.isVolatile && rhs.isVolatile)
    return false;
  return lhs.address && lhs.address == rhs.address && (lhs.isBuffer || !mayRepeat(lhs.address));
}

} // namespace blockdsl
