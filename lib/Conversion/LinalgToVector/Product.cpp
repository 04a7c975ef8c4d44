//===- Product.cpp - Matrix products as register tiles ---------------------===//
//
// A tile of rows by vectors of columns stays in registers while the common dimension runs; its start is the
// accumulator, evaluated in place, and its end goes to the result's buffer. Operands are read where they are when
// that is a plain load (rows of the right-hand side as vectors, elements of the left-hand side as scalars); anything
// else is packed into a buffer first: as words where the CPU multiplies groups of narrow numbers (DotStep.h) or tiles
// of them (MatrixUnit.h), and else widened to the accumulator's type.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include "Accumulation.h"
#include "BlockWriter.h"
#include "Schedule.h"
#include "blockdsl/Analysis/DemandedMask.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace blockdsl {

/// Up to this cost an operand is worth computing anew for each tile.
constexpr int64_t kCheap = 8;

/// From this many rows on, the right side is packed once for all tiles: its own rows lie a row of the whole matrix
/// apart, which for powers of two means that they evict one another from the first cache.
constexpr int64_t kRowsWorthPacking = 32;

/// Vectors beside one another in a tile: each broadcast of a number of the left side serves as many multiply-adds, and
/// that leaves a thread time where it shares its core with another. With 16 registers only a few rows leave room.
constexpr int64_t kTileVectors = 4, kTileVectorsOfFewRegisters = 2, kFewRows = 4;

static Type computeType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

static int64_t vectorWidth(Kernel &kernel, Type element, int64_t columns) {
  return std::min<int64_t>(columns, std::max<int64_t>(1, kernel.options.vectorBits / element.getIntOrFloatBitWidth()));
}

Product::Product(Kernel &kernel, linalg::LinalgOp op)
    : kernel(kernel), op(op), shape(cast<ShapedType>(op->getResult(0).getType()).getShape()),
      element(computeType(getElementTypeOrSelf(op->getResult(0).getType()))), step(element),
      width(vectorWidth(kernel, element, shape.back())), lanes(kernel.builder, op->getLoc(), width),
      evaluator(kernel, lanes), accumulation(kernel.getAccumulation(op)) {
  rows = shape[shape.size() - 2];
  columns = shape.back();
  lhs.block = op.getDpsInputOperand(0)->get();
  rhs.block = op.getDpsInputOperand(1)->get();
  depth = cast<ShapedType>(lhs.block.getType()).getShape().back();
  lhs.kDim = shape.size() - 1;
  rhs.kDim = shape.size() - 2;
  // As many accumulators as registers allow beside the operands.
  bool fewRegisters = kernel.options.vectorRegisters() == 16;
  int64_t accumulators = fewRegisters ? 12 : 24;
  tileVectors = std::min(columns / width, fewRegisters && rows >= kFewRows ? kTileVectorsOfFewRegisters : kTileVectors);
  // Even tiles where they take no more of them, and else one of fewer rows at the end.
  int64_t most = std::min(rows, accumulators / tileVectors);
  int64_t even = llvm::divideCeil(rows, llvm::divideCeil(rows, most));
  tileRows = rows % even == 0 ? even : most;
}

/// The load that a block is, if it is one and not in a buffer.
LoadOp Product::getLoad(Value block) {
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  return map && !kernel.getBuffer(block) ? dyn_cast<LoadOp>(map.getBlock()->front()) : LoadOp();
}

void Product::findLoad(Operand &operand) {
  operand.load = getLoad(operand.block);
  if (operand.load)
    operand.map = operand.block.getDefiningOp<linalg::LinalgOp>();
}

/// Decides whether an operand is read tile by tile where it lies. Of the left side that is so for buffers alone: in a
/// buffer, the rows of a tile are one address and constants, where in place each number's address is computed and
/// extended to 64 bits.
void Product::prepare(Operand &operand) {
  auto type = cast<RankedTensorType>(operand.block.getType());
  if (type.getElementType() != element)
    return pack(operand);
  if (kernel.getBuffer(operand.block)) {
    operand.direct = true;
    return;
  }
  if (!operand.load)
    return pack(operand);
  bool inPlace = isRight(operand) && rows < kRowsWorthPacking && kernel.plan.getCost(operand.block) <= kCheap &&
                 kernel.hints.getBodyStrides(operand.map, operand.load.getPtr()).back() == LaneEmitter::bytes(element);
  operand.direct = inPlace && (!operand.load.getMask() || operand.nonzero);
  if (!operand.direct)
    return pack(operand);
  if (operand.nonzero && staysInside(operand))
    assumed.append(operand.nonzero->parts);
}

/// Finds the steps at which a load's mask leaves something but zeros.
void Product::findBounds(Operand &operand) {
  Value block = operand.block;
  int64_t along = operand.kDim;
  auto transpose = block.getDefiningOp<linalg::TransposeOp>();
  if (transpose && !kernel.getBuffer(block)) {
    block = transpose.getInput();
    along = transpose.getPermutation()[along];
  }
  auto type = cast<RankedTensorType>(block.getType());
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  LoadOp load = getLoad(block);
  if (!load || !load.getMask() || type.getElementType() != element)
    return;
  auto argument = dyn_cast<BlockArgument>(load.getMask());
  Value mask = argument ? getBodyOperand(map, argument) : Value();
  TypedAttr outside = mask ? getMaskedOffValue(block, mask) : TypedAttr();
  if (!outside || outside != kernel.builder.getZeroAttr(element))
    return;
  SmallVector<bool> allowed(type.getRank(), false);
  allowed[along] = true;
  operand.nonzero = computeBounds(kernel, evaluator, mask, type.getShape(), allowed);
  OpBuilder &b = lanes.at(0);
  for (Value low : operand.nonzero->lows[along])
    operand.low = operand.low ? Value(arith::MaxSIOp::create(b, op->getLoc(), operand.low, low)) : low;
  for (Value high : operand.nonzero->highs[along])
    operand.high = operand.high ? Value(arith::MinSIOp::create(b, op->getLoc(), operand.high, high)) : high;
}

/// Whether two scalars are computed in the same way from the same.
static bool isSame(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  Operation *left = lhs ? lhs.getDefiningOp() : nullptr, *right = rhs ? rhs.getDefiningOp() : nullptr;
  return left && right && left->getNumRegions() == 0 && isMemoryEffectFree(left) &&
         OperationEquivalence::isEquivalentTo(
             left, right, [](Value a, Value b) { return success(isSame(a, b)); }, /*markEquivalent=*/nullptr,
             OperationEquivalence::IgnoreLocations);
}

/// Leaves out the steps that add nothing. Among floats both factors have to be zero: zero times an infinity is NaN.
void Product::boundSteps() {
  findBounds(lhs);
  findBounds(rhs);
  auto bind = [&](Value left, Value right, auto outer, SmallVectorImpl<Value> &into) {
    if (isa<FloatType>(element)) {
      if (left && right)
        into.push_back(isSame(left, right) ? left : outer(left, right));
      return;
    }
    for (Value bound : {left, right})
      if (bound)
        into.push_back(bound);
  };
  OpBuilder &b = lanes.at(0);
  bind(
      lhs.low, rhs.low, [&](Value x, Value y) -> Value { return arith::MinSIOp::create(b, op->getLoc(), x, y); },
      bounds.lows[0]);
  bind(
      lhs.high, rhs.high, [&](Value x, Value y) -> Value { return arith::MaxSIOp::create(b, op->getLoc(), x, y); },
      bounds.highs[0]);
}

/// Whether all steps that are left are inside the operand's own bounds.
bool Product::staysInside(const Operand &operand) const {
  auto holds = [](Value own, ArrayRef<Value> all) {
    return !own || llvm::any_of(all, [&](Value bound) { return isSame(own, bound); });
  };
  return holds(operand.low, bounds.lows[0]) && holds(operand.high, bounds.highs[0]);
}

/// Groups of factors a step, where the CPU and the extents allow.
void Product::chooseStep() {
  Type left = getElementTypeOrSelf(lhs.block.getType()), right = getElementTypeOrSelf(rhs.block.getType());
  if (left != right || columns % width != 0)
    return;
  auto canPack = [&](int64_t group) {
    return canPackWords(kernel, lhs.block, lhs.kDim, group) && canPackWords(kernel, rhs.block, rhs.kDim, group);
  };
  std::optional<MatrixUnit> matrix = MatrixUnit::find(kernel.options, left, element);
  // Half a tile of words, padded to a whole one, is still worth the unit; less is not, and neither are rows or columns
  // that leave it empty.
  if (matrix && std::min(rows, columns) >= MatrixUnit::kExtent && depth / matrix->group() >= MatrixUnit::kExtent / 2 &&
      getElementTypeOrSelf(op->getResult(0).getType()) == element && canPack(matrix->group())) {
    unit = matrix;
    // Two by two accumulators, and the four tiles they are made of: all eight registers.
    tileRows = std::min(rows, 2 * MatrixUnit::kExtent);
    tileVectors = std::min(columns, 2 * MatrixUnit::kExtent) / width;
    return;
  }
  DotStep packed = DotStep::choose(kernel.options, left, element, width);
  if (packed.group() > 1 && canPack(packed.group()))
    step = packed;
}

/// Evaluates an operand into a buffer of the accumulator's type: in the order its tiles are read where it is made of
/// words, and else along the dimension it is contiguous in.
void Product::pack(Operand &operand) {
  auto type = cast<RankedTensorType>(operand.block.getType());
  if (type.getElementType() == element && element.getIntOrFloatBitWidth() == 32 &&
      canPackWords(kernel, operand.block, operand.kDim, /*group=*/1))
    return packWordsOf(operand, {/*group=*/1, isRight(operand) ? WordOrder::CommonFirst : WordOrder::AsItLies});
  operand.packed = kernel.allocate(op->getLoc(), type.getShape(), element);
  Unit unit{Unit::Kind::Nest};
  unit.shape.assign(type.getShape().begin(), type.getShape().end());
  unit.roots.push_back({Root::Kind::Write, nullptr, operand.block, operand.block, operand.packed});
  Nest(kernel, unit).emit();
}

void Product::packWordsOf(Operand &operand, WordFormat format) {
  // Rows that are packed just before they are multiplied stay in the first cache, which takes a fraction of the time
  // that writing all of them to the second does. Memory has not changed since the product began; buffers may have.
  bool byRows = !isRight(operand) && !unit && operand.load && shape.size() == 2 && rows > tileRows;
  if (byRows && runsAlong(kernel, operand.block, operand.kDim)) {
    operand.perTile = true;
    rowsFormat = format;
    return;
  }
  operand.panels = isRight(operand) && !unit && columns > tileColumns();
  format.panel = operand.panels ? tileColumns() : 0;
  if (isRight(operand))
    format.end = columnsEnd;
  PackedWords words = packWords(kernel, op->getLoc(), operand.block, operand.kDim, format);
  operand.packed = words.buffer;
  operand.packed.element = format.group == 1 ? element : operand.packed.element;
  operand.swapped = !isRight(operand) && words.commonFirst;
}

/// The left side's rows from `row` on, for one tile.
void Product::packRows(Value row) {
  WordFormat format = rowsFormat;
  format.from = row;
  format.count = tileRows;
  lanes.here();
  lhs.packed = packWords(kernel, op->getLoc(), lhs.block, lhs.kDim, format).buffer;
  lhs.packed.element = format.group == 1 ? element : lhs.packed.element;
}

/// Both sides as words. In vectors a word of the left side goes to all lanes, so either order of them does.
void Product::packGroups() {
  int64_t group = unit ? unit->group() : step.group();
  bool bias = !unit && step.isLeftUnsigned();
  WordFormat left{group, unit ? WordOrder::CommonLast : WordOrder::AsItLies, /*flip=*/bias ? 0x80808080u : 0u};
  WordFormat right{group, WordOrder::CommonFirst};
  depth /= group;
  if (unit)
    left.least = right.least = depth = std::max(depth, MatrixUnit::kExtent);
  packWordsOf(lhs, left);
  packWordsOf(rhs, right);
  if (bias)
    packCorrection();
}

SmallVector<LaneValue> Product::inBatch(ArrayRef<LaneValue> where) {
  SmallVector<LaneValue> all(batch);
  all.append(where.begin(), where.end());
  return all;
}

LaneValue Product::read(const Operand &operand, SmallVector<LaneValue> where) {
  if (operand.swapped)
    std::swap(where[0], where[1]);
  where = inBatch(where);
  return operand.direct ? evaluator.get(operand.block, where) : evaluator.readBuffer(operand.packed, where);
}

/// A number of the left side, `down` rows into the tile that starts at `row`.
LaneValue Product::readLeft(Value row, int64_t down, LaneValue k) {
  OpBuilder &b = lanes.here();
  Value at = arith::ConstantIndexOp::create(b, op->getLoc(), down);
  if (!lhs.perTile)
    at = arith::AddIOp::create(b, op->getLoc(), row, at);
  return read(lhs, {lanes.uniform(at, lanes.depth()), k});
}

/// The place of a vector of the right side where tile lies after tile.
SmallVector<LaneValue> Product::inPanel(LaneValue k, Value column, int64_t vector) {
  OpBuilder &b = lanes.here();
  Value size = arith::ConstantIndexOp::create(b, op->getLoc(), tileColumns());
  Value panel = arith::DivUIOp::create(b, op->getLoc(), column, size);
  Value within = arith::ConstantIndexOp::create(b, op->getLoc(), vector * width);
  return inBatch({lanes.uniform(panel, lanes.depth()), k, {LaneValue::Kind::Strided, within, 1, lanes.depth()}});
}

/// A vector of the right side, in the tile of columns that starts at `column`.
LaneValue Product::readRight(LaneValue k, Value column, int64_t vector) {
  return rhs.panels ? evaluator.readBuffer(rhs.packed, inPanel(k, column, vector))
                    : read(rhs, {k, columnAt(column, vector)});
}

void Product::emitBatches(function_ref<void()> body) {
  if (shape.size() == 2)
    return body();
  loop(shape[0], 1, [&](Value index) {
    batch = {lanes.uniform(index, lanes.depth())};
    body();
  });
}

/// What a nest after the product has to say about the part of the result that it looks at: a kernel whose tiles reach
/// past the end of a matrix stores under a mask, and what is not stored need not be computed.
void Product::findWanted() {
  DemandedMask demand = getDemandedMaskOfProduct(op);
  if (!demand || !canEvaluate(kernel, demand.mask))
    return;
  SmallVector<bool> allowed(shape.size(), false);
  for (int dim : {static_cast<int>(shape.size()) - 2, static_cast<int>(shape.size()) - 1})
    allowed[dim] = demand.axis == -1 || demand.axis == dim;
  MaskBounds found = computeBounds(kernel, evaluator, demand.mask, shape, allowed);
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
  // Whole tiles are packed: what happens to lie in a buffer is slow to multiply where it is no normal number.
  Value more = offsetIndex(b, op->getLoc(), columnsEnd, tileColumns() - 1);
  Value size = arith::ConstantIndexOp::create(b, op->getLoc(), tileColumns());
  Value tiles = arith::DivUIOp::create(b, op->getLoc(), more, size);
  columnsEnd = arith::MulIOp::create(b, op->getLoc(), tiles, size);
}

void Product::emitTiles() {
  auto tile = [&](Value row, Value column) { unit ? emitMatrixTile(row, column) : emitTile(row, column); };
  auto inRow = [&](Value row) {
    if (lhs.perTile)
      packRows(row);
    loop(columns, tileColumns(), [&](Value column) { tile(row, column); }, columnsEnd);
  };
  emitBatches([&] {
    int64_t rest = rows % tileRows, whole = rows - rest;
    Value end = rowsEnd;
    if (rest != 0 && rowsEnd) {
      Value limit = arith::ConstantIndexOp::create(lanes.here(), op->getLoc(), whole);
      end = arith::MinSIOp::create(lanes.here(), op->getLoc(), rowsEnd, limit);
    }
    loop(whole, tileRows, inRow, end);
    if (rest == 0)
      return;
    // What fills no tile is one of fewer rows.
    int64_t most = std::exchange(tileRows, rest);
    loop(rows, rest, inRow, rowsEnd, whole);
    tileRows = most;
  });
}

void Product::emit() {
  bounds.lows.resize(1);
  bounds.highs.resize(1);
  chooseStep();
  findWanted();
  findLoad(lhs);
  findLoad(rhs);
  if (unit || step.group() > 1) {
    packGroups();
  } else {
    boundSteps();
    prepare(lhs);
    prepare(rhs);
  }
  lanes.at(0);
  result = kernel.getOrAllocate(op->getResult(0));
  findNextScalars();
  evaluator.emitVersioned([&](Evaluator::Version version) {
    // Columns that wrap around would be gathered once a tile of rows; packed, they are gathered once.
    if (version != Evaluator::Version::Only && rhs.direct && !kernel.getBuffer(rhs.block)) {
      lanes.here();
      pack(rhs);
      rhs.direct = false;
    }
    emitTiles();
    return Values();
  });
  lanes.at(0);
}

void writeProduct(Kernel &kernel, linalg::LinalgOp op) { Product(kernel, op).emit(); }

} // namespace blockdsl
