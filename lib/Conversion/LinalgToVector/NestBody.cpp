//===- NestBody.cpp - What a nest does at one place of its loops -----------===//

#include "Nest.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

//===-- The body ------------------------------------------------------------===//

/// Within the bounds the mask, and the parts of it that made the bounds, hold; in the last step some lanes do.
void Nest::assumeMask() {
  for (const MaskBounds::Part &part : bounds.parts) {
    unsigned level = 0;
    SmallVector<LaneValue> where;
    for (int loop : part.view.loops)
      where.push_back(loop == -1 ? lanes.constantIndex(0) : position[loop]);
    for (auto [dim, holds] : llvm::enumerate(part.loops.heldBy))
      if (holds)
        level = std::max(level, dimLevel[dim]);
    bool onLanes = shape.laneDim != -1 && part.loops.dependsOn[shape.laneDim];
    // What is the same for all lanes bounds them as well. A single vector is computed under any bound, with all lanes
    // off if need be, so a load of one element behind such a part still has to ask.
    if (tailMask && hasSingleStep(shape.laneDim) && part.loops.heldBy[shape.laneDim] && !onLanes)
      continue;
    if (onLanes && tailMask) {
      evaluator.assume(part.view.block, where, *tailMask);
      continue;
    }
    // True, but no earlier than inside the loops whose bounds make it so.
    Value yes = arith::ConstantIntOp::create(lanes.at(0), lanes.getLoc(), 1, 1);
    evaluator.assume(part.view.block, where, lanes.uniform(yes, std::max(level, lanes.depth() ? 1u : 0u)));
  }
}

void Nest::emitEffects(linalg::GenericOp generic, SmallVectorImpl<std::function<void()>> &writes) {
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op))
      continue; // evaluated when an effect asks for it
    SmallVector<LaneValue> operands;
    for (Value operand : op.getOperands())
      operands.push_back(evaluator.getInBody(generic, operand, position));
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<LaneValue> mask;
      if (store.getMask())
        mask = operands[2];
      LaneEmitter::Access access{store.getValue().getType(), false, streaming, kernel.options.vectorBits / 8};
      writes.push_back([this, operands, access, mask] { lanes.store(operands[0], operands[1], access, mask); });
      continue;
    }
    Values values;
    for (const LaneValue &operand : operands)
      values.push_back(operand.isStrided() ? lanes.vector(operand) : operand.value);
    Operation *source = &op;
    writes.push_back([this, source, values] {
      OperationState state(source->getLoc(), source->getName(), values, TypeRange{},
                           source->getDiscardableAttrDictionary().getValue());
      state.propertiesAttr = source->getPropertiesAsAttribute();
      lanes.here().create(state);
    });
  }
}

Values Nest::emitBody(Values accumulators) {
  assumeMask();
  // All values first, then all writes: a write may go where another value is read from.
  SmallVector<std::function<void()>> writes;
  Values next;
  unsigned target = 0;
  for (const Root &root : unit.roots) {
    if (root.kind == Root::Kind::Effects) {
      emitEffects(cast<linalg::GenericOp>(root.op), writes);
      continue;
    }
    if (root.kind == Root::Kind::Write) {
      const Buffer &buffer = written[target++];
      LaneValue value = lanes.extend(evaluator.get(root.block, position), buffer.element);
      writes.push_back([this, &buffer, value] { evaluator.writeBuffer(buffer, position, value, std::nullopt); });
      continue;
    }
    auto reduce = cast<ReduceOp>(root.op);
    Values elements;
    for (Value input : reduce->getOperands()) {
      LaneValue element = evaluator.get(input, position);
      Value value = shape.laneDim == -1 ? element.value : lanes.vector(element);
      if (tailMask && shape.laneDim == unit.axis) {
        TypedAttr neutral = getOutside(input, unit.mask);
        Value fill = arith::ConstantOp::create(lanes.at(0), lanes.getLoc(), neutral);
        Value fills = lanes.vector(lanes.uniform(fill));
        value = arith::SelectOp::create(lanes.here(), lanes.getLoc(), tailMask->value, value, fills);
      }
      elements.push_back(value);
    }
    if (accumulators.empty()) {
      llvm::append_range(next, elements);
      continue;
    }
    ArrayRef<Value> mine = ArrayRef<Value>(accumulators).slice(next.size(), elements.size());
    llvm::append_range(next, combine(kernel, lanes.here(), reduce->getRegion(0), mine, elements));
  }
  for (auto &write : writes)
    write();
  return next;
}

//===-- Reductions ----------------------------------------------------------===//

Values Nest::startAccumulators(int dim, bool &skipFirst) {
  skipFirst = false;
  if (unit.axis == -1 || hasSingleStep(dim))
    return {};
  Values start;
  for (const Root &root : unit.roots) {
    if (root.kind != Root::Kind::Reduce)
      continue;
    Operation *combiner = getSimpleCombiner(root.op->getRegion(0));
    TypedAttr neutral = combiner ? getIdentity(combiner) : TypedAttr();
    if (combiner && unit.mask && isa<arith::AddFOp>(combiner))
      neutral = getOutside(root.op->getOperand(0), unit.mask); // +0.0 stays +0.0
    if (!neutral) {
      // Nothing is known to be neutral, so the first elements start the accumulators.
      skipFirst = true;
      break;
    }
    Value constant = arith::ConstantOp::create(lanes.here(), lanes.getLoc(), neutral);
    LaneValue value = lanes.uniform(constant, lanes.depth());
    start.push_back(shape.laneDim == -1 ? constant : lanes.vector(value));
  }
  if (!skipFirst)
    return start;
  setPosition(dim, arith::ConstantIndexOp::create(lanes.here(), lanes.getLoc(), 0));
  return emitBody({});
}

/// The accumulators of a step, as those of one machine vector.
Values Nest::narrow(Values accumulators) {
  Values all;
  for (const Root &root : unit.roots) {
    if (root.kind != Root::Kind::Reduce || accumulators.empty())
      continue;
    Values mine(ArrayRef<Value>(accumulators).slice(all.size(), root.op->getNumOperands()));
    llvm::append_range(
        all, combineLanes(kernel, lanes.here(), lanes.getLoc(), root.op->getRegion(0), mine, shape.machineLanes));
  }
  return all;
}

void Nest::finishReductions(Values accumulators) {
  unsigned next = 0;
  for (const Root &root : unit.roots) {
    if (root.kind != Root::Kind::Reduce)
      continue;
    unsigned count = root.op->getNumOperands();
    Values mine(ArrayRef<Value>(accumulators).slice(next, count));
    next += count;
    if (shape.laneDim == unit.axis && shape.laneDim != -1)
      mine = combineAllLanes(kernel, lanes.here(), lanes.getLoc(), root.op->getRegion(0), mine);
    for (auto [result, value] : llvm::zip(root.op->getResults(), mine)) {
      if (!isa<RankedTensorType>(result.getType())) {
        kernel.setScalar(result, value);
        continue;
      }
      SmallVector<LaneValue> where(position);
      where.erase(where.begin() + unit.axis);
      evaluator.writeBuffer(kernel.getOrAllocate(result), where, lanes.wrap(value, lanes.depth()), std::nullopt);
    }
  }
}

} // namespace blockdsl
