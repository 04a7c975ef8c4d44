//===- MatmulIterations.cpp - Matmul of several iterations of a loop -------===//
//
// The operands of all iterations are packed first, each in a part of a buffer of its own. A tile then runs over the
// iterations, and over the steps of each, with its sums in registers.
//
// Programs that run after each other on a thread often multiply by the same columns of the right side. It stays packed,
// with the scalars that its packing depends on: a program that has the same scalars does not pack it again.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

/// Packs the operands of each iteration, but the rows that are packed for each tile.
void MatmulEmitter::packIterations() {
  Location loc = op->getLoc();
  int64_t kept = rhs.plan.plan.kept, groupParts = partsOf(plan.iterations);
  int64_t parts = groupParts * std::max<int64_t>(kept, 1);
  lanes.at(0);
  if (hasCommonBounds())
    iterationBounds = context.allocate(loc, {parts, 2}, context.builder.getI64Type());
  OpBuilder &b = lanes.at(0);
  if (kept != 0) {
    Value part = arith::MinUIOp::create(b, loc, merged->group, arith::ConstantIndexOp::create(b, loc, kept - 1));
    firstKept = arith::MulIOp::create(b, loc, part, arith::ConstantIndexOp::create(b, loc, groupParts));
  }
  scf::ForOp packing = merged->emit([&](Value iteration) {
    MatmulEmitter one(context, op, plan);
    one.columnsEnd = columnsEnd;
    one.packIteration(one.rhs, {iteration, parts, firstKept});
    rhs.packed = one.rhs.packed;
    rhs.swapped = one.rhs.swapped;
    if (!iterationBounds)
      return;
    one.iterationBounds = iterationBounds;
    one.storeBounds(firstKept ? arith::AddIOp::create(context.builder, loc, iteration, firstKept) : iteration);
  });
  if (kept != 0)
    keepPacked(packing);
  lanes.at(0);
  if (lhs.isPerTile())
    return;
  if (lhs.plan.plan.tryInPlace)
    rowsInMemory = context.allocate(loc, {plan.iterations, 1 + countRowOffsets()}, context.builder.getI64Type());
  merged->emit([&](Value iteration) {
    MatmulEmitter one(context, op, plan);
    if (rowsInMemory) {
      one.rowsInMemory = rowsInMemory;
      one.packOrFindRows(iteration);
    } else {
      one.packIteration(one.lhs, {iteration, groupParts});
    }
    lhs.packed = one.lhs.packed;
    lhs.swapped = one.lhs.swapped;
  });
}

void MatmulEmitter::packIteration(Operand &operand, PackedIteration iteration) {
  packedIteration = iteration;
  pack(operand);
}

/// Stores the steps of an iteration that multiply something other than zeros.
void MatmulEmitter::storeBounds(Value iteration) {
  lanes.at(0);
  bounds.lows.resize(1);
  bounds.highs.resize(1);
  boundSteps();
  lanes.at(0);
  auto [low, high] = commonRange(1);
  LaneValue at = lanes.uniform(iteration);
  for (auto [which, bound] : llvm::enumerate(Values{low, high})) {
    Value wide = arith::IndexCastOp::create(lanes.at(0), op->getLoc(), iterationBounds->element, bound);
    elementEmitter.writeBuffer(*iterationBounds, {at, lanes.constantIndex(which)}, lanes.uniform(wide), std::nullopt);
  }
}

/// Returns the scalars that `packing` depends on and that may differ from program to program, as integers of 64 bits;
/// nothing if one of them is no scalar.
static std::optional<Values> getInputs(OpBuilder &b, scf::ForOp packing) {
  // An op without operands, it would not be seen among the values that the loop uses from outside.
  packing.walk([&](GetProgramIdOp id) { id->moveBefore(packing); });
  llvm::SetVector<Value> used(packing->operand_begin(), packing->operand_end());
  getUsedValuesDefinedAbove(packing->getRegions(), used);
  Location loc = packing.getLoc();
  Values inputs;
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    bool isArgument = !def && isa<func::FuncOp>(value.getParentBlock()->getParentOp());
    if (isArgument || (def && (def->hasTrait<mlir::OpTrait::ConstantLike>() || isa<LLVM::AllocaOp>(def))))
      continue;
    Type type = value.getType(), wide = b.getI64Type();
    if (isa<LLVM::LLVMPointerType>(type))
      value = LLVM::PtrToIntOp::create(b, loc, wide, value);
    else if (isa<IndexType>(type))
      value = arith::IndexCastOp::create(b, loc, wide, value);
    else if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
    if (value.getType().getIntOrFloatBitWidth() < 64)
      value = arith::ExtUIOp::create(b, loc, wide, value);
    inputs.push_back(value);
  }
  return inputs;
}

/// Has `packing` run only if its inputs differ from those that the kept operand was packed from.
void MatmulEmitter::keepPacked(scf::ForOp packing) {
  Location loc = op->getLoc();
  OpBuilder b(packing);
  std::optional<Values> inputs = getInputs(b, packing);
  if (!inputs)
    return;
  for (Buffer *buffer : {&rhs.packed, iterationBounds ? &*iterationBounds : nullptr})
    if (buffer)
      buffer->pointer.getDefiningOp()->setAttr("blockdsl.kept", b.getUnitAttr());
  // One more input than zeros, which the buffer holds at first.
  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
  inputs->insert(inputs->begin(), one);
  int64_t size = inputs->size();
  Buffer known = context.allocate(loc, {rhs.plan.plan.kept, size}, b.getI64Type());
  known.pointer.getDefiningOp()->setAttr("blockdsl.kept", b.getUnitAttr());
  known.pointer.getDefiningOp()->setAttr("blockdsl.zeroed", b.getUnitAttr());
  Value part =
      arith::DivUIOp::create(b, loc, firstKept, arith::ConstantIndexOp::create(b, loc, partsOf(plan.iterations)));
  part = arith::MulIOp::create(b, loc, part, arith::ConstantIndexOp::create(b, loc, size));
  part = arith::IndexCastOp::create(b, loc, b.getI64Type(), part);
  Value differ;
  Values places;
  for (auto [index, input] : llvm::enumerate(*inputs)) {
    Value offset = arith::AddIOp::create(b, loc, part, arith::ConstantIntOp::create(b, loc, index, 64));
    places.push_back(LLVM::GEPOp::create(b, loc, known.pointer.getType(), b.getI64Type(), known.pointer,
                                         ArrayRef<LLVM::GEPArg>{offset}));
    Value before = LLVM::LoadOp::create(b, loc, b.getI64Type(), places.back());
    Value changed = arith::XOrIOp::create(b, loc, before, input);
    differ = differ ? Value(arith::OrIOp::create(b, loc, differ, changed)) : changed;
  }
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, differ, zero);
  auto branch = scf::IfOp::create(b, loc, isOther, /*withElseRegion=*/false);
  packing->moveBefore(branch.thenBlock()->getTerminator());
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  for (auto [input, place] : llvm::zip(*inputs, places))
    LLVM::StoreOp::create(b, loc, input, place);
}

void MatmulEmitter::packRowsOfIterations(Value row) {
  merged->emit([&](Value iteration) {
    MatmulEmitter one(context, op, plan);
    one.packedIteration = {iteration, partsOf(plan.iterations)};
    one.packIn(one.lhs, {/*end=*/{}, row, tileRows});
    lhs.packed = one.lhs.packed;
  });
}

/// Runs `body`, which adds the product of one part to the sums, for the parts of all iterations.
Values MatmulEmitter::runIterations(Values start, function_ref<Values(Values)> body) {
  if (!merged)
    return body(std::move(start));
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value parts = merged->count;
  if (int64_t each = plan.iterationsPerPart(); each != 1)
    parts = arith::CeilDivUIOp::create(b, loc, parts, arith::ConstantIndexOp::create(b, loc, each));
  auto loop = scf::ForOp::create(b, loc, zero, parts, one, start);
  keepRolled(loop);
  elementEmitter.enter(loop.getBody());
  Buffer left = lhs.packed, right = rhs.packed;
  lanes.here();
  Value iteration = loop.getInductionVar(), part = iteration;
  if (firstKept)
    part = arith::AddIOp::create(b, loc, part, firstKept);
  if (left.pointer) // a correction multiplies by the right side alone
    lhs.packed = context.getPart(loc, left, iteration, lanes.depth());
  if (rowsInMemory) {
    LaneValue at = lanes.uniform(iteration, lanes.depth());
    leftRows = elementEmitter.readBuffer(*rowsInMemory, {at, lanes.constantIndex(0)}).value;
    rowOffsets.clear();
    for (int64_t number = 1; number <= countRowOffsets(); ++number)
      rowOffsets.push_back(elementEmitter.readBuffer(*rowsInMemory, {at, lanes.constantIndex(number)}).value);
    lanes.here();
  }
  rhs.packed = context.getPart(loc, right, part, lanes.depth());
  if (iterationBounds) {
    auto read = [&](int64_t which) -> Value {
      LaneValue at[] = {lanes.uniform(part, lanes.depth()), lanes.constantIndex(which)};
      return arith::IndexCastOp::create(lanes.here(), loc, b.getIndexType(),
                                        elementEmitter.readBuffer(*iterationBounds, at).value);
    };
    bounds.lows[0] = {read(0)};
    bounds.highs[0] = {read(1)};
  }
  Values sums = body(Values(loop.getRegionIterArgs()));
  lhs.packed = left;
  rhs.packed = right;
  scf::YieldOp::create(lanes.here(), loc, sums);
  elementEmitter.leave();
  return Values(loop.getResults());
}

} // namespace blockdsl
