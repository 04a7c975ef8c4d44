//===- RegionEmitter.cpp - Emitter of a schedule's steps ----------------------===//
//
// Loop-carried blocks are in buffers that the loop body updates; scalars stay SSA values. ControlFlow.cpp emits the
// structured ops themselves.
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "Atomics.h"
#include "LoopNestEmitter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/NestReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {

LogicalResult RegionEmitter::emit(const Schedule &schedule) {
  llvm::SaveAndRestore home(context.home, context.builder.getInsertionBlock());
  for (const ScheduledOp &step : schedule.steps)
    if (failed(step.scalar ? emitScalar(step.scalar) : emitUnit(*step.unit)))
      return failure();
  return success();
}

/// Maps the results of a nest to the emitted scalars and buffers.
void RegionEmitter::aliasResults(const FusionGroup &unit) {
  auto nest = cast<cpu::NestOp>(unit.nest);
  for (OpResult result : nest->getResults()) {
    Value value = nest.getYielded(result), target = getTarget(result);
    bool isWritten = llvm::any_of(unit.roots, [&](const FusionRoot &root) { return root.target == target; });
    if (!isWritten)
      context.setAlias(result, value);
    else if (result != target)
      context.setAlias(result, target);
  }
}

void RegionEmitter::emitNest(const FusionGroup &unit) {
  LoopNestEmitter(context, unit).emit();
  // Later uses of the block read its buffer.
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Write && isa_and_nonnull<cpu::NestOp>(root.target.getDefiningOp()))
      context.setAlias(root.block, root.target);
}

LogicalResult RegionEmitter::emitUnit(const FusionGroup &unit) {
  if (unit.nest)
    aliasResults(unit);
  switch (unit.kind) {
  case FusionGroup::Kind::Nest:
    if (!unit.isEpilogue)
      emitNest(unit);
    return success();
  case FusionGroup::Kind::Scan:
    emitScan(context, unit);
    return success();
  case FusionGroup::Kind::Matmul:
    emitMatmul(context, cast<linalg::LinalgOp>(unit.op), *unit.matmul);
    return success();
  case FusionGroup::Kind::Histogram:
    emitHistogram(context, unit.op);
    return success();
  case FusionGroup::Kind::Atomic:
    emitAtomic(context, unit.op);
    return success();
  case FusionGroup::Kind::Scalar:
    return emitScalar(unit.op);
  case FusionGroup::Kind::Structured:
    return emitStructured(unit);
  }
  llvm_unreachable("every kind of unit is written");
}

LogicalResult RegionEmitter::emitScalar(Operation *op) {
  LaneEmitter lanes(context.builder, op->getLoc(), /*lanes=*/1);
  ElementEmitter elementEmitter(context, lanes);
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    if (!isa<RankedTensorType>(operand.getType()))
      operands.push_back(lanes.uniform(context.getScalar(operand)));
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    context.setScalar(extract, elementEmitter.get(extract.getTensor(), operands).value);
    return success();
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    std::optional<LaneValue> mask, other;
    if (load.getMask())
      mask = operands[1];
    if (load.getOther())
      other = operands[2];
    LaneEmitter::Access access{load.getType(), load.getIsVolatile()};
    context.setScalar(load.getResult(), lanes.load(operands[0], access, mask, other).value);
    return success();
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    std::optional<LaneValue> mask;
    if (store.getMask())
      mask = operands[2];
    lanes.store(operands[0], operands[1], LaneEmitter::Access{store.getValue().getType()}, mask);
    return success();
  }
  if (op->getNumResults() == 1) {
    FailureOr<LaneValue> value = lanes.apply(op, operands);
    if (succeeded(value)) {
      context.setScalar(op->getResult(0), value->value);
      return success();
    }
  }
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError("has no form on the CPU yet");
  IRMapping mapping;
  for (auto [source, lane] : llvm::zip(op->getOperands(), operands))
    mapping.map(source, lane.value);
  Operation *clone = context.builder.clone(*op, mapping);
  for (auto [source, result] : llvm::zip(op->getResults(), clone->getResults()))
    context.setScalar(source, result);
  return success();
}

SmallVector<Value> RegionEmitter::scalarsOf(ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isa<RankedTensorType>(value.getType()))
      scalars.push_back(context.getScalar(value));
  return scalars;
}

void RegionEmitter::emitCopies(const CopyPlan &plan) {
  for (auto [value, target] : plan.copies)
    context.getOrAllocate(target);
  for (const auto &unit : plan.nests)
    LoopNestEmitter(context, *unit).emit();
}

} // namespace blockdsl
