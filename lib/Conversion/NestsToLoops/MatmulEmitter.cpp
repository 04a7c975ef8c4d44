//===- MatmulEmitter.cpp - Matmuls as register tiles -----------------------------===//
//
// A tile of rows by vectors of columns stays in registers during the loop over the common dimension. It starts with the
// accumulator, evaluated in place, and is written to the result's buffer. MatmulPlan.cpp decides which operands are
// read in place and which are packed in a buffer first.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "RegionEmitter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {

MatmulEmitter::MatmulEmitter(EmissionContext &context, linalg::LinalgOp op, const MatmulPlan &plan,
                             const MergedIterations *merged)
    : context(context), op(op), plan(plan), shape(cast<ShapedType>(op->getResult(0).getType()).getShape()),
      tileRows(plan.tileRows), lanes(context.builder, op->getLoc(), plan.width), elementEmitter(context, lanes),
      accumulation(context.getAccumulation(op)), lhs(plan.lhs), rhs(plan.rhs), merged(merged) {}

/// Computes the bounds of the steps at which a load's mask is not false.
void MatmulEmitter::findBounds(Operand &operand) {
  const std::optional<ZeroMask> &zeros = operand.plan.zeros;
  if (!zeros)
    return;
  ArrayRef<int64_t> extents = cast<RankedTensorType>(zeros->mask.getType()).getShape();
  SmallVector<bool> allowed(extents.size(), false);
  allowed[zeros->common] = true;
  operand.nonzero = computeBounds(context, elementEmitter, zeros->mask, extents, allowed);
  OpBuilder &b = lanes.at(0);
  for (Value low : operand.nonzero->lows[zeros->common])
    operand.low = operand.low ? Value(arith::MaxSIOp::create(b, op->getLoc(), operand.low, low)) : low;
  for (Value high : operand.nonzero->highs[zeros->common])
    operand.high = operand.high ? Value(arith::MinSIOp::create(b, op->getLoc(), operand.high, high)) : high;
}

/// Returns true if two scalars are computed by equivalent ops.
static bool isSame(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  Operation *left = lhs ? lhs.getDefiningOp() : nullptr, *right = rhs ? rhs.getDefiningOp() : nullptr;
  return left && right && left->getNumRegions() == 0 && isMemoryEffectFree(left) &&
         OperationEquivalence::isEquivalentTo(
             left, right, [](Value a, Value b) { return success(isSame(a, b)); }, /*markEquivalent=*/nullptr,
             OperationEquivalence::IgnoreLocations);
}

/// Bounds the common dimension, where the plan does, to the steps that do not add zero: those at which for floats
/// either factor may differ from zero, and for integers both.
void MatmulEmitter::boundSteps() {
  if (!hasCommonBounds())
    return;
  findBounds(lhs);
  findBounds(rhs);
  auto bind = [&](Value left, Value right, auto outer, SmallVectorImpl<Value> &into) {
    if (isa<FloatType>(plan.element)) {
      if (left && right)
        into.push_back(isSame(left, right) ? left : outer(left, right));
      return;
    }
    for (Value bound : {left, right})
      if (bound)
        into.push_back(bound);
  };
  OpBuilder &b = lanes.at(0);
  if (llvm::is_contained(plan.bounds.from, plan.commonDim()))
    bind(
        lhs.low, rhs.low, [&](Value x, Value y) -> Value { return arith::MinSIOp::create(b, op->getLoc(), x, y); },
        bounds.lows[0]);
  if (llvm::is_contained(plan.bounds.below, plan.commonDim()))
    bind(
        lhs.high, rhs.high, [&](Value x, Value y) -> Value { return arith::MaxSIOp::create(b, op->getLoc(), x, y); },
        bounds.highs[0]);
}

bool MatmulEmitter::hasCommonBounds() const {
  return llvm::is_contained(plan.bounds.from, plan.commonDim()) ||
         llvm::is_contained(plan.bounds.below, plan.commonDim());
}

/// Returns true if all steps within `bounds` are also within the operand's own bounds.
bool MatmulEmitter::staysInside(const Operand &operand) const {
  auto holds = [](Value own, ArrayRef<Value> all) {
    return !own || llvm::any_of(all, [&](Value bound) { return isSame(own, bound); });
  };
  return holds(operand.low, bounds.lows[0]) && holds(operand.high, bounds.highs[0]);
}

/// Packs an operand as planned, except for the layout RowsPerTile, which is packed before each tile.
void MatmulEmitter::pack(Operand &operand) {
  const OperandPlan &packing = *operand.packing;
  if (packing.layout == OperandPlan::Layout::Copied) {
    auto type = cast<RankedTensorType>(operand.block().getType());
    SmallVector<int64_t> extents(type.getShape());
    Value part = packedIteration.index;
    if (packedIteration.firstPart)
      part = arith::AddIOp::create(context.builder, op->getLoc(), part, packedIteration.firstPart);
    if (part)
      extents.insert(extents.begin(), packedIteration.parts);
    operand.packed = context.allocate(op->getLoc(), extents, plan.element);
    LoopNestEmitter(context, *packing.copy)
        .emit(part ? context.getPart(op->getLoc(), operand.packed, part) : operand.packed);
  } else if (packing.layout == OperandPlan::Layout::Words) {
    WordRange range;
    if (isRight(operand))
      range.end = columnsEnd;
    packIn(operand, range);
  }
}

void MatmulEmitter::packIn(Operand &operand, WordRange range) {
  const WordFormat &format = operand.packing->words;
  PackedWords words =
      packWords(context, op->getLoc(), operand.block(), operand.plan.common, format, range, packedIteration);
  operand.packed = words.buffer;
  if (format.group == 1)
    operand.packed.element = plan.element;
  operand.swapped = !isRight(operand) && !operand.isPerTile() && words.commonFirst;
}

SmallVector<LaneValue> MatmulEmitter::inBatch(ArrayRef<LaneValue> where) {
  SmallVector<LaneValue> all(batch);
  all.append(where.begin(), where.end());
  return all;
}

LaneValue MatmulEmitter::read(const Operand &operand, SmallVector<LaneValue> where) {
  if (operand.swapped)
    std::swap(where[0], where[1]);
  where = inBatch(where);
  return operand.isInPlace() ? elementEmitter.get(operand.block(), where)
                             : elementEmitter.readBuffer(operand.packed, where);
}

/// Reads a factor of the left side, in row `down` of the tile that starts at `row`.
LaneValue MatmulEmitter::readLeft(Value row, int64_t down, LaneValue k) {
  OpBuilder &b = lanes.here();
  if (leftRows) {
    Type word = plan.instruction.group() == 1 ? plan.element : b.getI32Type();
    Value pointer = pointerInRows(row, k.value, down);
    return lanes.uniform(LLVM::LoadOp::create(lanes.here(), op->getLoc(), word, pointer, /*alignment=*/1),
                         lanes.depth());
  }
  Value at = arith::ConstantIndexOp::create(b, op->getLoc(), down);
  if (!lhs.isPerTile())
    at = arith::AddIOp::create(b, op->getLoc(), row, at);
  return read(lhs, {lanes.uniform(at, lanes.depth()), k});
}

/// Returns the index of a vector of the right side in the layout of panels.
SmallVector<LaneValue> MatmulEmitter::inPanel(LaneValue k, Value column, int64_t vector) {
  OpBuilder &b = lanes.here();
  Value size = arith::ConstantIndexOp::create(b, op->getLoc(), plan.tileColumns());
  Value panel = arith::DivUIOp::create(b, op->getLoc(), column, size);
  Value within = arith::ConstantIndexOp::create(b, op->getLoc(), vector * plan.width);
  return inBatch({lanes.uniform(panel, lanes.depth()), k, {LaneValue::Kind::Strided, within, 1, lanes.depth()}});
}

/// Reads a vector of the right side, in the tile of columns that starts at `column`.
LaneValue MatmulEmitter::readRight(LaneValue k, Value column, int64_t vector) {
  return rhs.hasPanels() ? elementEmitter.readBuffer(rhs.packed, inPanel(k, column, vector))
                         : read(rhs, {k, columnAt(column, vector)});
}

void MatmulEmitter::emitBatches(function_ref<void()> body) {
  if (shape.size() == 2)
    return body();
  loop(shape[0], 1, [&](Value index) {
    batch = {lanes.uniform(index, lanes.depth())};
    body();
  });
}

/// Computes the end of the part of the result that is used.
void MatmulEmitter::findUsedPart() {
  const DemandedMask &demand = plan.demand;
  if (!demand)
    return;
  SmallVector<bool> allowed(shape.size(), false);
  for (int dim : {static_cast<int>(shape.size()) - 2, static_cast<int>(shape.size()) - 1})
    allowed[dim] = demand.axis == -1 || demand.axis == dim;
  MaskBounds found = computeBounds(context, elementEmitter, demand.mask, shape, allowed, &plan.bounds);
  OpBuilder &b = lanes.at(0);
  auto least = [&](ArrayRef<Value> bounds) {
    Value end;
    for (Value bound : bounds)
      end = end ? Value(arith::MinSIOp::create(b, op->getLoc(), end, bound)) : bound;
    return end;
  };
  rowsEnd = least(found.highs[shape.size() - 2]);
  columnsEnd = least(found.highs[shape.size() - 1]);
  if (!columnsEnd)
    return;
  // Columns are packed up to whole tiles: uninitialized memory may hold denormals, which are slow to multiply.
  Value more = offsetIndex(b, op->getLoc(), columnsEnd, plan.tileColumns() - 1);
  Value size = arith::ConstantIndexOp::create(b, op->getLoc(), plan.tileColumns());
  Value tiles = arith::DivUIOp::create(b, op->getLoc(), more, size);
  columnsEnd = arith::MulIOp::create(b, op->getLoc(), tiles, size);
}

/// Packs the rows of the left side that the tile at `row` multiplies.
void MatmulEmitter::packRows(Value row) {
  lanes.here();
  if (merged)
    packRowsOfIterations(row);
  else
    packIn(lhs, {/*end=*/{}, row, tileRows});
}

void MatmulEmitter::emitTiles() {
  auto tile = [&](Value row, Value column) { plan.amx ? emitMatrixTile(row, column) : emitTile(row, column); };
  auto inRow = [&](Value row) {
    if (lhs.isPerTile())
      packRows(row);
    loop(plan.columns, plan.tileColumns(), [&](Value column) { tile(row, column); }, columnsEnd);
  };
  emitBatches([&] {
    int64_t rows = plan.rows, rest = rows % tileRows, whole = rows - rest;
    Value end = rowsEnd;
    if (rest != 0 && rowsEnd) {
      Value limit = arith::ConstantIndexOp::create(lanes.here(), op->getLoc(), whole);
      end = arith::MinSIOp::create(lanes.here(), op->getLoc(), rowsEnd, limit);
    }
    loop(whole, tileRows, inRow, end);
    if (rest == 0)
      return;
    // The remaining rows are a smaller tile.
    int64_t most = std::exchange(tileRows, rest);
    loop(rows, rest, inRow, rowsEnd, whole);
    tileRows = most;
  });
}

void MatmulEmitter::packAll() {
  boundSteps();
  for (Operand *operand : {&lhs, &rhs}) {
    pack(*operand);
    if (operand->isInPlace() && operand->load() && operand->nonzero && staysInside(*operand))
      assumed.append(operand->nonzero->parts);
  }
}

void MatmulEmitter::emit() {
  llvm::SaveAndRestore versions(context.versions, plan.versions);
  bounds.lows.resize(1);
  bounds.highs.resize(1);
  findUsedPart();
  if (merged)
    packIterations();
  else
    packAll();
  if (!plan.amx && plan.instruction.isLeftUnsigned())
    packCorrection();
  lanes.at(0);
  result = context.getOrAllocate(op->getResult(0));
  using Part = PrefetchPlan::Part;
  if (plan.prefetch.lhs == Part::NextIteration || plan.prefetch.rhs == Part::NextIteration)
    findNextScalars();
  elementEmitter.emitVersioned([&](ElementEmitter::Version version) {
    if (version != ElementEmitter::Version::NoWrap && rhs.plan.whenWrapping) {
      lanes.here();
      rhs.packing = rhs.plan.whenWrapping.get();
      pack(rhs);
    }
    emitTiles();
    return Values();
  });
  lanes.at(0);
}

void emitMatmul(EmissionContext &context, linalg::LinalgOp op, const MatmulPlan &plan, const MergedIterations *merged) {
  MatmulEmitter(context, op, plan, merged).emit();
}

} // namespace blockdsl
