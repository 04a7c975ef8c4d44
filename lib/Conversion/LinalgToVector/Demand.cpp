//===- Demand.cpp - Where anybody looks at a block --------------------------===//

#include "Demand.h"

#include "BufferPlan.h"
#include "Combiner.h"
#include "Masks.h"
#include "OutsideMasks.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace blockdsl {

Demand getDemand(Operation *consumer) {
  if (auto reduce = dyn_cast<ReduceOp>(consumer)) {
    int axis = reduce.getAxis();
    if (Operation *combiner = getSimpleCombiner(reduce->getRegion(0)))
      for (Value mask : findMasks(reduce->getOperand(0)))
        if (getOutsideOfReduced(combiner, reduce->getOperand(0), axis, mask))
          return {mask, axis};
    return {{}, axis};
  }
  auto generic = dyn_cast<linalg::GenericOp>(consumer);
  if (!generic || generic->getNumResults() != 0)
    return {};
  Operation &first = generic.getBody()->front();
  auto store = dyn_cast<StoreOp>(first);
  auto argument = store ? dyn_cast_or_null<BlockArgument>(store.getMask()) : BlockArgument();
  return {argument ? getBodyOperand(generic, argument) : Value()};
}

/// Whether `mask` is computed from `block`, without a buffer in between.
static bool isMadeOf(Value mask, Value block) {
  llvm::SetVector<Value> cone;
  cone.insert(mask);
  for (unsigned next = 0; next < cone.size(); ++next) {
    if (cone[next] == block)
      return true;
    Operation *op = cone[next].getDefiningOp();
    if (!op || !BufferPlan::isLazy(op))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        cone.insert(operand);
  }
  return false;
}

/// Whether `user` reads memory no matter what `use` holds where `demand` does not: then no address and no mask is made
/// of it, but an address under that very mask.
static bool readsAlike(linalg::LinalgOp user, OpOperand &use, Value demand) {
  llvm::SetVector<Operation *> made;
  getForwardSlice(user.getMatchingBlockArgument(&use), &made);
  auto isMade = [&](Value value) {
    return value && (value == user.getMatchingBlockArgument(&use) || made.contains(value.getDefiningOp()));
  };
  return llvm::all_of(user.getBlock()->getOps<LoadOp>(), [&](LoadOp load) {
    auto mask = dyn_cast_or_null<BlockArgument>(load.getMask());
    bool isUnderDemand = mask && mask.getOwner() == user.getBlock() && getBodyOperand(user, mask) == demand;
    return !isMade(load.getMask()) && (isUnderDemand || !isMade(load.getPtr()));
  });
}

Demand getDemand(Value block, llvm::DenseMap<Value, Demand> &known) {
  if (auto found = known.find(block); found != known.end())
    return found->second;
  known[block] = {};
  if (Operation *op = block.getDefiningOp(); op && BufferPlan::isVolatile(op))
    return {};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(block.getType()).getShape();
  Demand demand;
  for (OpOperand &use : block.getUses()) {
    Operation *user = use.getOwner();
    Demand wanted;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (linalgOp && !linalgOp.getMatchingIndexingMap(&use).isIdentity())
      return {};
    if (linalgOp && BufferPlan::isLazy(user)) {
      if (linalgOp.isDpsInit(&use))
        continue;
      if (cast<RankedTensorType>(user->getResult(0).getType()).getShape() != shape || user->getNumResults() != 1)
        return {};
      wanted = getDemand(user->getResult(0), known);
      if (wanted && !readsAlike(linalgOp, use, wanted.mask))
        return {};
    } else {
      wanted = getDemand(user);
    }
    if (!wanted || (demand && demand.mask != wanted.mask))
      return {};
    if (demand.axis != -1 && wanted.axis != -1 && demand.axis != wanted.axis)
      return {};
    demand = {wanted.mask, std::max(demand.axis, wanted.axis)};
  }
  // Where a mask does not hold is known from the mask, which has to be right there as well.
  if (demand && isMadeOf(demand.mask, block))
    return {};
  return known[block] = demand;
}

Demand getDemand(Value block) {
  llvm::DenseMap<Value, Demand> known;
  return getDemand(block, known);
}

Value getUpdateMask(ArrayRef<std::pair<Value, Value>> results) {
  Value common;
  for (auto &[value, target] : results) {
    Value found;
    if (auto carried = dyn_cast<BlockArgument>(target))
      for (Value mask : findMasks(value))
        if (!found && keepsOutside(value, carried, mask))
          found = mask;
    if (!found || (common && common != found))
      return {};
    common = found;
  }
  return common;
}

} // namespace blockdsl
