//===- MatmulPrefetch.cpp - Fetching ahead what a product packs next ---------===//
//
// A product in a loop packs other blocks on each turn, and packing is nothing but waiting for memory: rows that are a
// row of the matrix apart are what the CPU does not foresee. So the tiles of one turn fetch what the next one packs, a
// line or two of the cache every few steps, which costs them an instruction each. Addresses are those of the load,
// computed from what the scalars that the loop carries will be; where that is not to be had, the fetch goes astray and
// no harm is done.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace blockdsl {

constexpr int64_t kLine = 64;

/// At most so many fetches of one side in a turn.
constexpr int64_t kFetches = 4;

/// To the second cache: the first is full of what the tiles read.
constexpr int32_t kIntoSecond = 2;
constexpr int32_t kIntoFirst = 3;

constexpr int64_t kStepsAhead = 16;

/// What the scalars of the loop around the product are on its next turn.
void MatmulEmitter::findNextScalars() {
  auto around = dyn_cast<scf::ForOp>(op->getParentOp()->getParentOp());
  if (!around || !(lhs.load() || rhs.load()))
    return;
  OpBuilder &b = lanes.at(0);
  IRMapping next;
  auto add = [&](Value source, Value then) {
    next.map(context.getScalar(source), then);
    nextScalars.push_back({source, then});
  };
  for (auto [carried, yielded] : llvm::zip(around.getRegionIterArgs(), around.getYieldedValues()))
    if (!isa<RankedTensorType>(carried.getType()) && context.hasScalar(yielded))
      add(carried, context.getScalar(yielded));
  Value now = context.getScalar(around.getInductionVar());
  add(around.getInductionVar(), arith::AddIOp::create(b, op->getLoc(), now, context.getScalar(around.getStep())));
  for (Operation &source : around.getBody()->without_terminator()) {
    if (source.getNumResults() != 1 || !context.hasScalar(source.getResult(0)))
      continue;
    Operation *written = context.getScalar(source.getResult(0)).getDefiningOp();
    bool varies = written && isMemoryEffectFree(written) && written->getNumRegions() == 0 &&
                  llvm::any_of(written->getOperands(), [&](Value operand) { return next.contains(operand); });
    if (varies && !next.contains(written->getResult(0)))
      add(source.getResult(0), b.clone(*written, next)->getResult(0));
  }
}

/// Where the load will read on the next turn; null where other memory says so, which there may be none of beyond a
/// block or after the last turn.
Value MatmulEmitter::addressOfNext(const Operand &operand, Value other, Value common) {
  int64_t otherDim =
      operand.plan.common == static_cast<int64_t>(shape.size()) - 1 ? operand.plan.common - 1 : operand.plan.common + 1;
  SmallVector<LaneValue> where(shape.size());
  llvm::copy(batch, where.begin());
  where[operand.plan.common] = lanes.uniform(common, lanes.depth());
  where[otherDim] = lanes.uniform(other, lanes.depth());
  SmallVector<Value> now;
  ArrayRef<std::pair<Value, Value>> replaced = operand.isPerTile() ? ArrayRef(nextScalars).take_front(0) : nextScalars;
  for (auto [source, then] : replaced) {
    now.push_back(context.getScalar(source));
    context.setScalar(source, then);
  }
  LaneValue pointer;
  linalg::LinalgOp map = operand.map();
  LoadOp load = operand.load();
  bool isKnown = elementEmitter.guess([&] { pointer = elementEmitter.getInBody(map, load.getPtr(), where); });
  for (auto [pair, value] : llvm::zip(replaced, now))
    context.setScalar(pair.first, value);
  return isKnown ? pointer.value : Value();
}

SmallVector<MatmulEmitter::Fetch> MatmulEmitter::planFetches(Value row, Value column) {
  SmallVector<Fetch> fetches;
  if (merged)
    return fetches;
  if (lhs.isPerTile())
    planFetches(lhs, offsetIndex(lanes.here(), op->getLoc(), row, tileRows), column, fetches);
  else if (!nextScalars.empty())
    planFetches(lhs, row, column, fetches);
  if (!nextScalars.empty())
    planFetches(rhs, column, row, fetches);
  return fetches;
}

/// The share of an operand that the tile at `first`, along the operand's own dimension, and at `crossed` fetches.
void MatmulEmitter::planFetches(Operand &operand, Value first, Value crossed, SmallVectorImpl<Fetch> &fetches) {
  if (!operand.load() || operand.isInPlace() || plan.amx)
    return;
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  bool right = isRight(operand);
  int64_t extent = right ? plan.tileColumns() : tileRows, crossedExtent = right ? tileRows : plan.tileColumns();
  // A power of two, as extents are: shares are whole then, and found without a division.
  int64_t crossing = llvm::bit_floor<uint64_t>((right ? plan.rows : plan.columns) / crossedExtent);
  Value number = arith::DivUIOp::create(lanes.here(), loc, crossed, constant(crossedExtent));
  number = arith::RemUIOp::create(lanes.here(), loc, number, constant(crossing));
  Strides strides = context.hints.getBodyStrides(operand.map(), operand.load().getPtr());
  int64_t size = getByteSize(operand.load().getType());
  int64_t otherDim =
      operand.plan.common == static_cast<int64_t>(shape.size()) - 1 ? operand.plan.common - 1 : operand.plan.common + 1;
  if (strides[operand.plan.common] == size)
    planRows(operand, first, number, std::min<int64_t>(kFetches, llvm::divideCeil(extent, crossing)), extent, fetches);
  else if (strides[otherDim] == size)
    planColumns(operand, first, number, crossing, std::max<int64_t>(1, extent * size / kLine), fetches);
}

/// Where memory runs along the common dimension: whole rows, `share` of the `extent` that a tile has.
void MatmulEmitter::planRows(Operand &operand, Value first, Value number, int64_t share, int64_t extent,
                             SmallVectorImpl<Fetch> &fetches) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  int64_t size = getByteSize(operand.load().getType());
  Value bytes = arith::ConstantIntOp::create(b, loc, size * plan.instruction.group() * kTurn, 64);
  for (int64_t index = 0; index < share; ++index) {
    Value at = arith::MulIOp::create(lanes.here(), loc, number, constant(share));
    at = arith::AddIOp::create(lanes.here(), loc, at, constant(index));
    at = arith::RemUIOp::create(lanes.here(), loc, at, constant(extent));
    at = arith::AddIOp::create(lanes.here(), loc, at, first);
    if (Value pointer = addressOfNext(operand, at, constant(0)))
      fetches.push_back({pointer, bytes});
  }
}

/// Where memory runs across it: one of the `lines` of the cache in a row, in a stretch of the rows, or several where
/// there are fewer tiles than lines.
void MatmulEmitter::planColumns(Operand &operand, Value first, Value number, int64_t crossing, int64_t lines,
                                SmallVectorImpl<Fetch> &fetches) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  auto toInteger = [&](Value address) {
    return LLVM::PtrToIntOp::create(lanes.here(), loc, context.builder.getI64Type(), address);
  };
  int64_t size = getByteSize(operand.load().getType());
  int64_t stretches = std::max<int64_t>(1, crossing / lines), linesOfTile = std::max<int64_t>(1, lines / crossing);
  int64_t stretch = plan.depth * plan.instruction.group() / stretches, turns = plan.depth / kTurn;
  if (stretch == 0 || turns == 0)
    return;
  int64_t rowsOfTurn =
      std::min<int64_t>(llvm::divideCeil(stretch, turns), std::max<int64_t>(1, kFetches / linesOfTile));
  Value line = arith::RemUIOp::create(lanes.here(), loc, number, constant(lines));
  Value start = arith::DivUIOp::create(lanes.here(), loc, number, constant(lines));
  start = arith::MulIOp::create(lanes.here(), loc, start, constant(stretch));
  for (int64_t index = 0; index < std::min(linesOfTile, kFetches); ++index) {
    Value other = offsetIndex(lanes.here(), loc, line, index * crossing);
    other = arith::MulIOp::create(lanes.here(), loc, other, constant(kLine / size));
    other = arith::AddIOp::create(lanes.here(), loc, other, first);
    SmallVector<Value> pointers;
    for (int64_t row = 0; row <= rowsOfTurn; ++row)
      pointers.push_back(addressOfNext(operand, other, offsetIndex(lanes.here(), loc, start, row)));
    if (llvm::is_contained(pointers, Value()))
      return;
    // As many rows on as a turn fetches: that is where the last pointer is already.
    Value bytes = arith::SubIOp::create(lanes.here(), loc, toInteger(pointers.back()), toInteger(pointers.front()));
    for (Value pointer : ArrayRef(pointers).drop_back())
      fetches.push_back({pointer, bytes});
  }
}

/// One fetch for each line of the cache among the vectors of a tile.
void MatmulEmitter::fetchLines(function_ref<LaneValue(int64_t vector)> addressOf) {
  int64_t vectorsOfLine = std::max<int64_t>(1, kLine / (plan.width * getByteSize(plan.element)));
  for (int64_t vector = 0; vector < plan.tileVectors; vector += vectorsOfLine)
    LLVM::Prefetch::create(lanes.here(), op->getLoc(), addressOf(vector).value, /*rw=*/0, kIntoFirst, /*cache=*/1);
}

/// What the tile multiplies with a few steps later, which the second cache has; after the last steps it is what the
/// tile to the right begins with.
void MatmulEmitter::fetchRight(Value k, Value column) {
  // Panels of several iterations are long enough for the hardware to prefetch.
  if (!rhs.hasPanels() || merged)
    return;
  LaneValue later = lanes.uniform(offsetIndex(lanes.here(), op->getLoc(), k, kStepsAhead), lanes.depth());
  fetchLines([&](int64_t vector) { return elementEmitter.addressOf(rhs.packed, inPanel(later, column, vector)); });
}

/// The accumulators that the tile to the right starts with: all of them at once, where it would wait for each.
void MatmulEmitter::fetchStart(const Buffer &accumulator, ArrayRef<LaneValue> rowAt, Value column) {
  Value next = offsetIndex(lanes.here(), op->getLoc(), column, plan.tileColumns());
  for (const LaneValue &row : rowAt)
    fetchLines(
        [&](int64_t vector) { return elementEmitter.addressOf(accumulator, inBatch({row, columnAt(next, vector)})); });
}

/// Fetches a line, and gives the address of the next turn's.
Value MatmulEmitter::emitFetch(Value pointer, Value bytes) {
  OpBuilder &b = lanes.here();
  LLVM::Prefetch::create(b, op->getLoc(), pointer, /*rw=*/0, kIntoSecond, /*cache=*/1);
  return LLVM::GEPOp::create(b, op->getLoc(), pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

} // namespace blockdsl
