//===- LoopNestBody.cpp - Body of a loop nest ----------------------------------===//

#include "LoopNestEmitter.h"

#include "Effects.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

//===-- The body ------------------------------------------------------------===//

/// Returns the index of the current element in the block of a view.
SmallVector<LaneValue> LoopNestEmitter::positionOf(const View &view) {
  return llvm::map_to_vector(view.loops,
                             [&](int loop) { return loop == -1 ? lanes.constantIndex(0) : position[loop]; });
}

/// Sets the values of the mask, and of the parts of it that bound the loops: true, or the mask of a masked step.
void LoopNestEmitter::assumeMask() {
  for (const MaskPart &part : bounds.parts) {
    unsigned level = 0;
    SmallVector<LaneValue> where = positionOf(part.view);
    for (auto [dim, holds] : llvm::enumerate(part.loops.heldBy))
      if (holds)
        level = std::max(level, dimLevel[dim]);
    bool onLanes = shape.laneDim != -1 && part.loops.dependsOn[shape.laneDim];
    // A uniform part may bound the lanes too. A single masked step also runs if no lane is active, so the part may be
    // false there, and a uniform load under it needs its own value.
    bool boundsLanes = shape.laneDim != -1 && part.loops.heldBy[shape.laneDim];
    if (tailMask && hasSingleStep(shape.laneDim) && boundsLanes && !onLanes)
      continue;
    // Other masked steps, for instance those that align stores, restrict the part to their lanes.
    if (tailMask && (onLanes || boundsLanes)) {
      elementEmitter.assume(part.view.block, where, *tailMask);
      continue;
    }
    // True, but only inside the loops whose bounds ensure it.
    Value yes = arith::ConstantIntOp::create(lanes.at(0), lanes.getLoc(), 1, 1);
    elementEmitter.assume(part.view.block, where, lanes.uniform(yes, std::max(level, lanes.depth() ? 1u : 0u)));
  }
}

Values LoopNestEmitter::emitBody(Values accumulators) {
  assumeMask();
  // All values precede all writes: a write may change memory that another value is read from.
  Writes writes;
  Values next;
  unsigned target = 0;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind == FusionRoot::Kind::Effects) {
      emitEffects(elementEmitter, cast<linalg::GenericOp>(root.op), position, writes,
                  streaming ? context.options.vectorBits / 8 : 0);
      continue;
    }
    if (root.kind == FusionRoot::Kind::Write) {
      const Buffer &buffer = written[target++];
      LaneValue value = lanes.extend(elementEmitter.get(root.block, position), buffer.element);
      writes.push_back([this, &buffer, value] { elementEmitter.writeBuffer(buffer, position, value, std::nullopt); });
      continue;
    }
    auto reduce = cast<ReduceOp>(root.op);
    Values elements;
    for (Value input : reduce->getOperands()) {
      LaneValue element = elementEmitter.get(input, position);
      Value value = shape.laneDim == -1 ? element.value : lanes.vector(element);
      if (tailMask && shape.laneDim == unit.axis) {
        Value fill = elementOutside(reduce);
        value = arith::SelectOp::create(lanes.here(), lanes.getLoc(), tailMask->value, value, fill);
      }
      elements.push_back(value);
    }
    if (accumulators.empty()) {
      llvm::append_range(next, elements);
      continue;
    }
    ArrayRef<Value> mine = ArrayRef<Value>(accumulators).slice(next.size(), elements.size());
    llvm::append_range(next, combine(context, lanes.here(), reduce->getRegion(0), mine, elements));
  }
  for (auto &write : writes)
    write();
  return next;
}

//===-- Reductions ----------------------------------------------------------===//

/// Returns the value of masked-off elements, in all lanes.
Value LoopNestEmitter::elementOutside(ReduceOp reduce) {
  Operation *combiner = getSimpleCombiner(reduce->getRegion(0));
  std::optional<MaskedOffElements> outside =
      getMaskedOffInReduction(combiner, reduce->getOperand(0), unit.axis, unit.demand.mask);
  Location loc = lanes.getLoc();
  LaneValue element = lanes.uniform(arith::ConstantOp::create(lanes.at(0), loc, outside->constant));
  if (outside->subtrahend) {
    SmallVector<LaneValue> where(position);
    where[unit.axis] = lanes.constantIndex(0); // uniform along the axis
    LaneValue subtrahend = elementEmitter.getInBody(outside->op, outside->subtrahend, where);
    auto type = cast<FloatType>(getElementTypeOrSelf(subtrahend.value.getType()));
    auto spread = [&](TypedAttr constant) -> Value {
      LaneValue value = lanes.uniform(arith::ConstantOp::create(lanes.at(0), loc, constant));
      return subtrahend.isUniform() ? value.value : lanes.vector(value);
    };
    Value least = spread(FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true)));
    Value constant = spread(outside->constant), otherwise = spread(outside->otherwise);
    OpBuilder &b = lanes.at(subtrahend.level);
    Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, subtrahend.value, least);
    element = lanes.wrap(arith::SelectOp::create(b, loc, above, constant, otherwise), subtrahend.level);
  }
  return shape.laneDim == -1 ? element.value : lanes.vector(element);
}

/// Returns the initial accumulators: identities, or masked-off elements if a loop over floats skips any. Without an
/// identity the first elements are the accumulators, and `skipFirst` is set.
Values LoopNestEmitter::startAccumulators(int dim, bool &skipFirst) {
  skipFirst = false;
  if (unit.axis == -1 || hasSingleStep(dim))
    return {};
  Values start;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Reduce)
      continue;
    Operation *combiner = getSimpleCombiner(root.op->getRegion(0));
    TypedAttr neutral = combiner ? getIdentity(combiner) : TypedAttr();
    if (!neutral) {
      skipFirst = true;
      break;
    }
    Value constant = arith::ConstantOp::create(lanes.here(), lanes.getLoc(), neutral);
    LaneValue value = lanes.uniform(constant, lanes.depth());
    Value first = shape.laneDim == -1 ? constant : lanes.vector(value);
    if (Value end = bound(dim, /*high=*/true); end && isa<FloatType>(neutral.getType())) {
      OpBuilder &b = lanes.at(0);
      Value size = arith::ConstantIndexOp::create(b, lanes.getLoc(), unit.shape[dim]);
      Value any = arith::CmpIOp::create(b, lanes.getLoc(), arith::CmpIPredicate::slt, end, size);
      Value outside = elementOutside(cast<ReduceOp>(root.op));
      first = arith::SelectOp::create(lanes.here(), lanes.getLoc(), any, outside, first);
    }
    start.push_back(first);
  }
  if (!skipFirst)
    return start;
  setPosition(dim, arith::ConstantIndexOp::create(lanes.here(), lanes.getLoc(), 0));
  return emitBody({});
}

/// Combines the accumulators of a step into those of one machine vector.
Values LoopNestEmitter::narrow(Values accumulators) {
  Values all;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Reduce || accumulators.empty())
      continue;
    Values mine(ArrayRef<Value>(accumulators).slice(all.size(), root.op->getNumOperands()));
    llvm::append_range(
        all, combineLanes(context, lanes.here(), lanes.getLoc(), root.op->getRegion(0), mine, shape.machineLanes));
  }
  return all;
}

void LoopNestEmitter::finishReductions(Values accumulators) {
  unsigned next = 0;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Reduce)
      continue;
    unsigned count = root.op->getNumOperands();
    Values mine(ArrayRef<Value>(accumulators).slice(next, count));
    next += count;
    if (shape.laneDim == unit.axis && shape.laneDim != -1)
      mine = combineAllLanes(context, lanes.here(), lanes.getLoc(), root.op->getRegion(0), mine);
    for (auto [result, value] : llvm::zip(root.op->getResults(), mine)) {
      if (!isa<RankedTensorType>(result.getType())) {
        context.setScalar(result, value);
        continue;
      }
      SmallVector<LaneValue> where(position);
      where.erase(where.begin() + unit.axis);
      elementEmitter.writeBuffer(context.getOrAllocate(result), where, lanes.wrap(value, lanes.depth()), std::nullopt);
    }
  }
}

} // namespace blockdsl
