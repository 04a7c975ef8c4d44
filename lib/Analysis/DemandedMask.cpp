//===- DemandedMask.cpp - Elements of a block that its consumers use -------===//

#include "blockdsl/Analysis/DemandedMask.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace blockdsl {

llvm::SetVector<Value> findMasks(Value block) {
  llvm::SetVector<Value> masks;
  llvm::SetVector<Value> seen;
  seen.insert(block);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(block.getType()).getShape();
  for (unsigned next = 0; next < seen.size(); ++next) {
    auto op = seen[next].getDefiningOp<linalg::LinalgOp>();
    if (!op || !isFusible(op))
      continue;
    for (Value operand : op.getDpsInputs()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || type.getShape() != shape)
        continue;
      seen.insert(operand);
      if (type.getElementType().isInteger(1))
        masks.insert(operand);
    }
  }
  return masks;
}

DemandedMask getDemandedMask(Operation *consumer) {
  if (auto reduce = dyn_cast<ReduceOp>(consumer)) {
    int axis = reduce.getAxis();
    if (Operation *combiner = getSimpleCombiner(reduce->getRegion(0)))
      for (Value mask : findMasks(reduce->getOperand(0)))
        if (getMaskedOffInReduction(combiner, reduce->getOperand(0), axis, mask))
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

/// Returns true if `mask` is computed from `block` by fusible ops.
static bool isComputedFrom(Value mask, Value block) {
  llvm::SetVector<Value> cone;
  cone.insert(mask);
  for (unsigned next = 0; next < cone.size(); ++next) {
    if (cone[next] == block)
      return true;
    Operation *op = cone[next].getDefiningOp();
    if (!op || !isFusible(op))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        cone.insert(operand);
  }
  return false;
}

/// Returns true if the loads of `user` do not depend on the elements of `use` that `demand` masks off: neither a mask
/// nor an address is computed from them, except the address of a load under `demand` itself.
static bool loadsAreIndependent(linalg::LinalgOp user, OpOperand &use, Value demand) {
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

DemandedMask getDemandedMask(Value block, llvm::DenseMap<Value, DemandedMask> &known) {
  if (auto found = known.find(block); found != known.end())
    return found->second;
  known[block] = {};
  if (Operation *op = block.getDefiningOp(); op && hasVolatileLoad(op))
    return {};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(block.getType()).getShape();
  DemandedMask demand;
  for (OpOperand &use : block.getUses()) {
    Operation *user = use.getOwner();
    DemandedMask wanted;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (linalgOp && !linalgOp.getMatchingIndexingMap(&use).isIdentity())
      return {};
    if (linalgOp && isFusible(user)) {
      if (linalgOp.isDpsInit(&use))
        continue;
      if (cast<RankedTensorType>(user->getResult(0).getType()).getShape() != shape || user->getNumResults() != 1)
        return {};
      wanted = getDemandedMask(user->getResult(0), known);
      if (wanted && !loadsAreIndependent(linalgOp, use, wanted.mask))
        return {};
    } else {
      wanted = getDemandedMask(user);
    }
    if (!wanted || (demand && demand.mask != wanted.mask))
      return {};
    if (demand.axis != -1 && wanted.axis != -1 && demand.axis != wanted.axis)
      return {};
    demand = {wanted.mask, std::max(demand.axis, wanted.axis)};
  }
  // The mask itself has to be correct everywhere.
  if (demand && isComputedFrom(demand.mask, block))
    return {};
  return known[block] = demand;
}

DemandedMask getDemandedMask(Value block) {
  llvm::DenseMap<Value, DemandedMask> known;
  return getDemandedMask(block, known);
}

Value getUpdateMask(ArrayRef<std::pair<Value, Value>> results) {
  Value common;
  for (auto &[value, target] : results) {
    Value found;
    if (auto carried = dyn_cast<BlockArgument>(target))
      for (Value mask : findMasks(value))
        if (!found && keepsMaskedOff(value, carried, mask))
          found = mask;
    if (!found || (common && common != found))
      return {};
    common = found;
  }
  return common;
}

} // namespace blockdsl
