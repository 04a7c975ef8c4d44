//===- OpPlacer.cpp - Placement of ops before and in nests ---------------===//

#include "OpPlacer.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

Block *OpPlacer::enter(Block &target) {
  for (auto [index, op] : llvm::enumerate(target.without_terminator()))
    order[&op] = index;
  return std::exchange(block, &target);
}

void OpPlacer::leave(Block *outer) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (order.erase(&op) && op.use_empty())
      op.erase();
  block = outer;
}

void OpPlacer::place(ArrayRef<Value> values, NestBody *body) {
  llvm::SetVector<Value> cone(values.begin(), values.end());
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (unsigned next = 0; next < cone.size(); ++next) {
    Operation *op = cone[next].getDefiningOp();
    bool isCloned = body && body->clones.contains(cone[next]);
    if (!op || isCloned || !order.contains(op) || !seen.insert(op).second)
      continue;
    ops.push_back(op);
    cone.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), cone);
  }
  llvm::sort(ops, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
  for (Operation *op : ops) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    bool isInside = body && llvm::any_of(used, [&](Value value) {
                      return value.getParentBlock() == body->block || body->clones.contains(value);
                    });
    if (isInside) {
      cloneInto(*body, op);
    } else {
      // An op of an enclosing block is placed before the loop or branch that is being built.
      Block *home = op->getBlock();
      op->moveBefore(home == block ? home->getTerminator() : home->findAncestorOpInBlock(*block->getParentOp()));
      order.erase(op);
    }
  }
}

void OpPlacer::cloneInto(NestBody &body, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body.block);
  builder.clone(*op, body.clones);
}

void OpPlacer::placeOperands(Operation *op, NestBody *body) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  place(used.getArrayRef(), body);
}

void OpPlacer::moveInto(NestBody &body, Operation *op) {
  placeOperands(op, &body);
  order.erase(op);
  op->remove();
  body.block->push_back(op);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(body.clones.lookupOrDefault(operand.get()));
  });
}

void OpPlacer::placeOp(Operation *op) {
  placeOperands(op);
  op->moveBefore(getEnd());
  order.erase(op);
}

/// Returns the first user of `op` in the only nest that uses it; null if there are other users.
static Operation *findOnlyNest(Operation &op) {
  cpu::NestOp only;
  Operation *first = nullptr;
  for (Operation *user : op.getUsers()) {
    auto nest = dyn_cast_or_null<cpu::NestOp>(op.getBlock()->findAncestorOpInBlock(*user));
    if (!nest || nest == user || (only && only != nest))
      return nullptr;
    only = nest;
    Operation *inside = nest.getBody().front().findAncestorOpInBlock(*user);
    if (!first || inside->isBeforeInBlock(first))
      first = inside;
  }
  return first;
}

void sinkIntoNests(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          sinkIntoNests(inner);
    if (isFusible(&op) && !isa<arith::ConstantOp>(op))
      if (Operation *user = findOnlyNest(op))
        op.moveBefore(user);
  }
}

} // namespace blockdsl
