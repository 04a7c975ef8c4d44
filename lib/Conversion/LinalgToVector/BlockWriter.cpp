//===- BlockWriter.cpp - Writes the steps of a block, in order -------------===//
//
// Loop-carried blocks live in buffers that the loop body updates; scalars stay SSA values. The structured ops
// themselves are in ControlFlow.cpp.
//
//===----------------------------------------------------------------------===//

#include "BlockWriter.h"

#include "Accumulation.h"
#include "Atomics.h"
#include "Nest.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {

LogicalResult BlockWriter::write(Block &block, ArrayRef<std::pair<Value, Value>> results) {
  llvm::SaveAndRestore home(kernel.home, kernel.builder.getInsertionBlock());
  Schedule schedule = makeSchedule(kernel, block, results);
  Unit *stored = nullptr;
  auto next = schedule.units.begin();
  for (const Step &step : schedule.steps) {
    if (step.scalar) {
      if (failed(writeScalar(step.scalar)))
        return failure();
      continue;
    }
    ++next;
    if (step.unit == stored)
      continue;
    if (Unit *after = next == schedule.units.end() ? nullptr : next->get())
      if (linalg::LinalgOp product = findStoredProduct(kernel, *step.unit, *after)) {
        kernel.setAccumulation(product, {/*isZero=*/{}, /*isComplete=*/{}, after});
        stored = after;
      }
    if (failed(writeUnit(*step.unit)))
      return failure();
  }
  return success();
}

LogicalResult BlockWriter::writeUnit(Unit &unit) {
  switch (unit.kind) {
  case Unit::Kind::Nest:
    if (!unit.roots.empty())
      Nest(kernel, unit).emit();
    return success();
  case Unit::Kind::Scan:
    writeScan(kernel, unit.op);
    return success();
  case Unit::Kind::Product:
    writeProduct(kernel, cast<linalg::LinalgOp>(unit.op));
    return success();
  case Unit::Kind::Histogram:
    writeHistogram(kernel, unit.op);
    return success();
  case Unit::Kind::Atomic:
    writeAtomic(kernel, unit.op);
    return success();
  case Unit::Kind::Scalar:
    return writeScalar(unit.op);
  case Unit::Kind::Structured:
    return writeStructured(unit.op);
  }
  llvm_unreachable("every kind of unit is written");
}

LogicalResult BlockWriter::writeScalar(Operation *op) {
  LaneEmitter lanes(kernel.builder, op->getLoc(), /*lanes=*/1);
  Evaluator evaluator(kernel, lanes);
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    if (!isa<RankedTensorType>(operand.getType()))
      operands.push_back(lanes.uniform(kernel.getScalar(operand)));
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    kernel.setScalar(extract, evaluator.get(extract.getTensor(), operands).value);
    return success();
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    std::optional<LaneValue> mask, other;
    if (load.getMask())
      mask = operands[1];
    if (load.getOther())
      other = operands[2];
    LaneEmitter::Access access{load.getType(), load.getIsVolatile()};
    kernel.setScalar(load.getResult(), lanes.load(operands[0], access, mask, other).value);
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
      kernel.setScalar(op->getResult(0), value->value);
      return success();
    }
  }
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError("has no form on the CPU yet");
  IRMapping mapping;
  for (auto [source, lane] : llvm::zip(op->getOperands(), operands))
    mapping.map(source, lane.value);
  Operation *clone = kernel.builder.clone(*op, mapping);
  for (auto [source, result] : llvm::zip(op->getResults(), clone->getResults()))
    kernel.setScalar(source, result);
  return success();
}

SmallVector<Value> BlockWriter::scalarsOf(ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isa<RankedTensorType>(value.getType()))
      scalars.push_back(kernel.getScalar(value));
  return scalars;
}

void BlockWriter::writeInits(ValueRange values, ValueRange targets) {
  std::vector<Unit> units;
  for (auto [value, target] : llvm::zip(values, targets)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    kernel.getOrAllocate(target);
    Root root{Root::Kind::Write, nullptr, value, target, {}};
    auto same = llvm::find_if(units, [&](const Unit &unit) { return ArrayRef(unit.shape) == type.getShape(); });
    if (same == units.end()) {
      units.push_back(Unit{Unit::Kind::Nest});
      units.back().shape.assign(type.getShape().begin(), type.getShape().end());
      same = std::prev(units.end());
    }
    same->roots.push_back(root);
  }
  for (Unit &unit : units)
    Nest(kernel, unit).emit();
}

/// Lets a product of each turn that replaces the loop-carried `carried` accumulate in its buffer: nothing else reads
/// the old value, and the product reads it only as the accumulator, element by element.
bool BlockWriter::tryInPlace(Value yielded, Value carried) {
  auto product = yielded.getDefiningOp<linalg::LinalgOp>();
  if (!product || product->getBlock() != carried.getParentBlock() || product.getNumReductionLoops() == 0 ||
      !yielded.hasOneUse())
    return false;
  SmallVector<Value> worklist = {carried};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == product.getOperation()) {
        if (!product.isDpsInit(&use))
          return false;
        continue;
      }
      auto lazy = dyn_cast<linalg::LinalgOp>(user);
      if (!lazy || !isFusible(user) || kernel.plan.isBuffered(user->getResult(0)) ||
          user->getBlock() != product->getBlock() || !lazy.getMatchingIndexingMap(&use).isIdentity())
        return false;
      worklist.push_back(user->getResult(0));
    }
  }
  kernel.setBuffer(yielded, *kernel.getBuffer(carried));
  return true;
}

BlockWriter::Targets BlockWriter::orderYields(Block &body, ValueRange yielded, ValueRange carried, ValueRange spare) {
  Targets targets, copies;
  for (unsigned index = 0; index < yielded.size(); ++index) {
    Value value = yielded[index], target = carried[index];
    if (!isa<RankedTensorType>(value.getType()) || value == target || tryInPlace(value, target))
      continue;
    SmallVector<MemoryAccess> reads;
    kernel.plan.collectReads(value, reads);
    bool readsAnother = llvm::any_of(reads, [&](const MemoryAccess &read) {
      return read.isBuffer && llvm::is_contained(carried, read.object) && (read.object != target || !read.address);
    });
    if (!readsAnother) {
      targets.push_back({value, target});
      continue;
    }
    // Another write would change what this value is made of: set it aside first.
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &body && isFusible(def)) {
      kernel.plan.require(value);
      copies.push_back({value, target});
    } else {
      kernel.getOrAllocate(spare[index]);
      targets.insert(targets.begin(), {value, spare[index]});
      copies.push_back({spare[index], target});
    }
  }
  llvm::append_range(targets, copies);
  return targets;
}

} // namespace blockdsl
