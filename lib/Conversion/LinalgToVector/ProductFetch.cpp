//===- ProductFetch.cpp - Fetching ahead what a product packs next ---------===//
//
// A product in a loop packs other blocks on each turn, and packing is nothing but waiting for memory: rows that are a
// row of the matrix apart are what the CPU does not foresee. So the tiles of one turn fetch what the next one packs, a
// line or two of the cache every few steps, which costs them an instruction each. Addresses are those of the load,
// computed from what the scalars that the loop carries will be; where that is not to be had, the fetch goes astray and
// no harm is done.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

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
void Product::findNextScalars() {
  auto around = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!around || !(lhs.load || rhs.load))
    return;
  OpBuilder &b = lanes.at(0);
  IRMapping next;
  auto add = [&](Value source, Value then) {
    next.map(kernel.getScalar(source), then);
    nextScalars.push_back({source, then});
  };
  for (auto [carried, yielded] : llvm::zip(around.getRegionIterArgs(), around.getYieldedValues()))
    if (!isa<RankedTensorType>(carried.getType()) && kernel.hasScalar(yielded))
      add(carried, kernel.getScalar(yielded));
  Value now = kernel.getScalar(around.getInductionVar());
  add(around.getInductionVar(), arith::AddIOp::create(b, op->getLoc(), now, kernel.getScalar(around.getStep())));
  for (Operation &source : around.getBody()->without_terminator()) {
    if (source.getNumResults() != 1 || !kernel.hasScalar(source.getResult(0)))
      continue;
    Operation *written = kernel.getScalar(source.getResult(0)).getDefiningOp();
    bool varies = written && isMemoryEffectFree(written) && written->getNumRegions() == 0 &&
                  llvm::any_of(written->getOperands(), [&](Value operand) { return next.contains(operand); });
    if (varies && !next.contains(written->getResult(0)))
      add(source.getResult(0), b.clone(*written, next)->getResult(0));
  }
}

/// Where the load will read on the next turn.
Value Product::addressOfNext(const Operand &operand, Value other, Value common) {
  int64_t otherDim = operand.kDim == static_cast<int64_t>(shape.size()) - 1 ? operand.kDim - 1 : operand.kDim + 1;
  SmallVector<LaneValue> where(shape.size());
  llvm::copy(batch, where.begin());
  where[operand.kDim] = lanes.uniform(common, lanes.depth());
  where[otherDim] = lanes.uniform(other, lanes.depth());
  SmallVector<Value> now;
  ArrayRef<std::pair<Value, Value>> replaced = operand.perTile ? ArrayRef(nextScalars).take_front(0) : nextScalars;
  for (auto [source, then] : replaced) {
    now.push_back(kernel.getScalar(source));
    kernel.setScalar(source, then);
  }
  LaneValue pointer;
  linalg::LinalgOp map = operand.map;
  LoadOp load = operand.load;
  evaluator.guess([&] { pointer = evaluator.getInBody(map, load.getPtr(), where); });
  for (auto [pair, value] : llvm::zip(replaced, now))
    kernel.setScalar(pair.first, value);
  return pointer.value;
}

SmallVector<Product::Fetch> Product::planFetches(Value row, Value column) {
  SmallVector<Fetch> fetches;
  if (lhs.perTile)
    planFetches(lhs, offsetIndex(lanes.here(), op->getLoc(), row, tileRows), column, fetches);
  else if (!nextScalars.empty())
    planFetches(lhs, row, column, fetches);
  if (!nextScalars.empty())
    planFetches(rhs, column, row, fetches);
  return fetches;
}

/// The share of an operand that the tile at `first`, along the operand's own dimension, and at `crossed` fetches.
void Product::planFetches(Operand &operand, Value first, Value crossed, SmallVectorImpl<Fetch> &fetches) {
  if (!operand.load || operand.direct || unit)
    return;
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  bool right = isRight(operand);
  int64_t extent = right ? tileColumns() : tileRows, crossedExtent = right ? tileRows : tileColumns();
  // A power of two, as the depth is: shares are whole then, and found without a division.
  int64_t crossing = llvm::bit_floor<uint64_t>((right ? rows : columns) / crossedExtent);
  Value number = arith::DivUIOp::create(lanes.here(), loc, crossed, constant(crossedExtent));
  number = arith::RemUIOp::create(lanes.here(), loc, number, constant(crossing));
  Strides strides = kernel.hints.getBodyStrides(operand.map, operand.load.getPtr());
  int64_t size = LaneEmitter::bytes(operand.load.getType());
  if (strides[operand.kDim] == size) {
    int64_t share = std::min<int64_t>(kFetches, llvm::divideCeil(extent, crossing));
    for (int64_t index = 0; index < share; ++index) {
      Value at = arith::MulIOp::create(lanes.here(), loc, number, constant(share));
      at = arith::AddIOp::create(lanes.here(), loc, at, constant(index));
      at = arith::RemUIOp::create(lanes.here(), loc, at, constant(extent));
      at = arith::AddIOp::create(lanes.here(), loc, at, first);
      fetches.push_back({addressOfNext(operand, at, constant(0)), size * step.group()});
    }
    return;
  }
  int64_t otherDim = operand.kDim == static_cast<int64_t>(shape.size()) - 1 ? operand.kDim - 1 : operand.kDim + 1;
  if (strides[otherDim] != size || depth < crossing)
    return;
  Value at = arith::MulIOp::create(lanes.here(), loc, number, constant(depth * step.group() / crossing));
  Value pointer = addressOfNext(operand, first, at);
  Value after = addressOfNext(operand, first, arith::AddIOp::create(lanes.here(), loc, at, constant(1)));
  auto toInteger = [&](Value address) {
    return LLVM::PtrToIntOp::create(lanes.here(), loc, kernel.builder.getI64Type(), address);
  };
  Value pitch = arith::SubIOp::create(lanes.here(), loc, toInteger(after), toInteger(pointer));
  fetches.push_back({pointer, 0, pitch, crossing, std::max<int64_t>(1, extent * size / kLine)});
}

/// One fetch for each line of the cache among the vectors of a tile.
void Product::fetchLines(function_ref<LaneValue(int64_t vector)> addressOf) {
  int64_t vectorsOfLine = std::max<int64_t>(1, kLine / (width * LaneEmitter::bytes(element)));
  for (int64_t vector = 0; vector < tileVectors; vector += vectorsOfLine)
    LLVM::Prefetch::create(lanes.here(), op->getLoc(), addressOf(vector).value, /*rw=*/0, kIntoFirst, /*cache=*/1);
}

/// What the tile multiplies with a few steps later, which the second cache has; after the last steps it is what the
/// tile to the right begins with.
void Product::fetchRight(Value k, Value column) {
  if (!rhs.panels)
    return;
  LaneValue later = lanes.uniform(offsetIndex(lanes.here(), op->getLoc(), k, kStepsAhead), lanes.depth());
  fetchLines([&](int64_t vector) { return evaluator.addressOf(rhs.packed, inPanel(later, column, vector)); });
}

/// The accumulators that the tile to the right starts with: all of them at once, where it would wait for each.
void Product::fetchStart(const Buffer &accumulator, ArrayRef<LaneValue> rowAt, Value column) {
  Value next = offsetIndex(lanes.here(), op->getLoc(), column, tileColumns());
  for (const LaneValue &row : rowAt)
    fetchLines(
        [&](int64_t vector) { return evaluator.addressOf(accumulator, inBatch({row, columnAt(next, vector)})); });
}

void Product::emitFetch(const Fetch &fetch, Value k) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, loc, value, 64); };
  Value step = arith::IndexCastOp::create(b, loc, i64, k);
  Value offset;
  if (!fetch.pitch) {
    offset = arith::MulIOp::create(b, loc, step, constant(fetch.bytes));
  } else {
    Value element = arith::MulIOp::create(b, loc, step, constant(this->step.group()));
    Value row = arith::DivUIOp::create(b, loc, element, constant(fetch.crossing));
    offset = arith::MulIOp::create(b, loc, row, fetch.pitch);
    Value turn = arith::DivUIOp::create(b, loc, step, constant(kTurn));
    Value line = arith::RemUIOp::create(b, loc, turn, constant(fetch.lines));
    offset = arith::AddIOp::create(b, loc, offset, arith::MulIOp::create(b, loc, line, constant(kLine)));
  }
  Value address = LLVM::GEPOp::create(b, loc, fetch.pointer.getType(), b.getI8Type(), fetch.pointer,
                                      ArrayRef<LLVM::GEPArg>{offset});
  LLVM::Prefetch::create(b, loc, address, /*rw=*/0, kIntoSecond, /*cache=*/1);
}

} // namespace blockdsl
