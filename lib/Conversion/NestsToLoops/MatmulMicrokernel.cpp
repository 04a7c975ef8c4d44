//===- MatmulMicrokernel.cpp - One tile of a matmul --------------------------------===//
//
// With vectors, the accumulators are rows by vectors of columns. Each step of the common dimension multiplies a factor
// of each row, broadcast to all lanes, by the vectors of the right side. With AMX, the accumulators are two by two
// tiles.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace blockdsl {

Value offsetIndex(OpBuilder &b, Location loc, Value from, int64_t by) {
  if (by == 0)
    return from;
  Value constant = arith::ConstantIndexOp::create(b, loc, by);
  return arith::AddIOp::create(b, loc, from, constant);
}

//===-- Vectors -------------------------------------------------------------===//

/// Emits the correction for a left side that was packed with 128 added: 128 times the column sums of the right side,
/// computed as the product with a left side of 128s.
void MatmulEmitter::packCorrection() {
  Location loc = op->getLoc();
  lanes.at(0);
  SmallVector<int64_t> sums(shape);
  sums.erase(sums.end() - 2);
  correction = context.allocate(loc, sums, plan.element);
  emitBatches([&] {
    loop(
        plan.columns, plan.tileColumns(),
        [&](Value column) {
          OpBuilder &b = lanes.at(0);
          auto constant = [&](uint32_t value) -> Value {
            auto type = VectorType::get({plan.width}, b.getI32Type());
            return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(32, value)));
          };
          Value zero = constant(0), bias = constant(0x80808080u);
          Values sums = runCommon(Values(plan.tileVectors, zero), column, {}, [&](int64_t, LaneValue) { return bias; });
          for (auto [at, sum] : llvm::zip(columnsFrom(column), sums))
            elementEmitter.writeBuffer(*correction, inBatch(at), lanes.wrap(sum, lanes.depth()), std::nullopt);
        },
        columnsEnd);
  });
  lanes.at(0);
}

Value MatmulEmitter::narrow(Value value, Type to) {
  if (to == plan.element)
    return value;
  OpBuilder &b = lanes.here();
  return arith::TruncFOp::create(b, op->getLoc(), VectorType::get(cast<VectorType>(value.getType()).getShape(), to),
                                 value);
}

LaneValue MatmulEmitter::columnAt(Value column, int64_t vector) {
  Value first = offsetIndex(lanes.here(), op->getLoc(), column, vector * plan.width);
  return {LaneValue::Kind::Strided, first, 1, lanes.depth()};
}

SmallVector<LaneValue> MatmulEmitter::rowsFrom(Value row) {
  SmallVector<LaneValue> all;
  for (int64_t down = 0; down < tileRows; ++down)
    all.push_back(lanes.uniform(offsetIndex(lanes.here(), op->getLoc(), row, down), lanes.depth()));
  return all;
}

SmallVector<LaneValue> MatmulEmitter::columnsFrom(Value column) {
  SmallVector<LaneValue> all;
  for (int64_t vector = 0; vector < plan.tileVectors; ++vector)
    all.push_back(columnAt(column, vector));
  return all;
}

/// Sets the parts of the right side's mask to true at step `k`. Only parts that depend on the common dimension alone
/// are the same for a whole tile.
void MatmulEmitter::assumeMasks(LaneValue k) {
  for (const MaskPart &part : assumed) {
    SmallVector<LaneValue> where;
    for (int loop : part.view.loops)
      where.push_back(loop == -1 ? lanes.constantIndex(0) : k);
    int shared = static_cast<int>(rhs.plan.common);
    bool alone = llvm::all_of(part.view.loops, [shared](int loop) { return loop == -1 || loop == shared; });
    if (alone)
      elementEmitter.assume(
          part.view.block, where,
          lanes.uniform(arith::ConstantIntOp::create(lanes.at(0), op->getLoc(), 1, 1), lanes.depth()));
  }
}

/// Returns the bounds of the common dimension, extended to multiples of `unroll`.
std::pair<Value, Value> MatmulEmitter::commonRange(int64_t unroll) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, plan.depth);
  for (Value bound : bounds.lows[0])
    low = arith::MaxSIOp::create(b, loc, low, bound);
  for (Value bound : bounds.highs[0])
    high = arith::MinSIOp::create(b, loc, high, bound);
  if (unroll == 1)
    return {low, high};
  Value mask = arith::ConstantIndexOp::create(b, loc, -unroll);
  if (!bounds.lows[0].empty())
    low = arith::AndIOp::create(b, loc, low, mask);
  if (!bounds.highs[0].empty())
    high = arith::AndIOp::create(b, loc, offsetIndex(b, loc, high, unroll - 1), mask);
  return {low, high};
}

/// Emits the loops over merged iterations and the common dimension. `left` returns the factor of a row.
Values MatmulEmitter::runCommon(Values start, Value column, ArrayRef<Fetch> fetches, LeftFn left) {
  return runIterations(std::move(start), [&](Values sums) { return runSteps(std::move(sums), column, fetches, left); });
}

Values MatmulEmitter::runSteps(Values start, Value column, ArrayRef<Fetch> fetches, LeftFn left) {
  Location loc = op->getLoc();
  // Operands that are read in place under an assumed mask must not be read beyond the bounds. Others are zero there.
  int64_t unroll = assumed.empty() ? std::gcd(plan.depth, MatmulPlan::kUnroll) : 1;
  auto [low, high] = commonRange(unroll);
  OpBuilder &b = lanes.here();
  Value by = arith::ConstantIndexOp::create(b, loc, unroll);
  if (unroll != MatmulPlan::kUnroll)
    fetches = {};
  size_t count = start.size();
  for (const Fetch &fetch : fetches)
    start.push_back(fetch.pointer);
  auto common = scf::ForOp::create(b, loc, low, high, by, start);
  keepRolled(common);
  elementEmitter.enter(common.getBody());
  Values sums(common.getRegionIterArgs().take_front(count)), pointers;
  for (auto [fetch, pointer] : llvm::zip(fetches, common.getRegionIterArgs().drop_front(count)))
    pointers.push_back(emitFetch(pointer, fetch.bytes));
  for (int64_t step = 0; step < unroll; ++step) {
    Value at = offsetIndex(lanes.here(), loc, common.getInductionVar(), step);
    if (plan.prefetch.steps != 0 && rhs.hasPanels())
      fetchPanel(at, column);
    sums = multiply(std::move(sums), lanes.uniform(at, lanes.depth()), column, left);
  }
  llvm::append_range(sums, pointers);
  scf::YieldOp::create(lanes.here(), loc, sums);
  elementEmitter.leave();
  return Values(common.getResults().take_front(count));
}

/// Emits one step of the common dimension.
Values MatmulEmitter::multiply(Values sums, LaneValue k, Value column, LeftFn left) {
  assumeMasks(k);
  Values rights, next;
  for (int64_t vector = 0; vector < plan.tileVectors; ++vector)
    rights.push_back(lanes.vector(readRight(k, column, vector)));
  for (int64_t r = 0; next.size() < sums.size(); ++r) {
    Value factor = left(r, k);
    for (Value right : rights)
      next.push_back(emitDot(lanes.here(), op->getLoc(), plan.instruction, factor, right, sums[next.size()]));
  }
  return next;
}

/// Returns the initial sums of a tile: the accumulator, or zeros in a first iteration, minus the correction.
Values MatmulEmitter::startSums(ArrayRef<LaneValue> rowAt, ArrayRef<LaneValue> columnAt) {
  Location loc = op->getLoc();
  Value accumulator = op.getDpsInitOperand(0)->get();
  Values start;
  for (const LaneValue &r : rowAt)
    for (const LaneValue &at : columnAt)
      start.push_back(lanes.vector(lanes.extend(elementEmitter.get(accumulator, inBatch({r, at})), plan.element)));
  if (accumulation.isZero) {
    Value zero = arith::ConstantOp::create(lanes.here(), loc, lanes.here().getZeroAttr(start[0].getType()));
    for (Value &sum : start)
      sum = arith::SelectOp::create(lanes.here(), loc, accumulation.isZero, zero, sum);
  }
  if (correction)
    for (auto [v, at] : llvm::enumerate(columnAt)) {
      Value surplus = lanes.vector(elementEmitter.readBuffer(*correction, inBatch(at)));
      for (size_t sum = v; sum < start.size(); sum += columnAt.size())
        start[sum] = arith::SubIOp::create(lanes.here(), loc, start[sum], surplus);
    }
  return start;
}

/// Emits the epilogue for a tile, if this is the last addition to it.
void MatmulEmitter::storeComplete(Value row, Value column) {
  if (!plan.epilogue)
    return;
  auto store = [&] {
    lanes.here();
    LoopNestEmitter(context, *plan.epilogue).emitTile(row, tileRows, column, plan.tileColumns());
  };
  if (!accumulation.isComplete)
    return store();
  auto branch = scf::IfOp::create(lanes.here(), op->getLoc(), accumulation.isComplete, /*withElseRegion=*/false);
  elementEmitter.enter(branch.thenBlock());
  store();
  elementEmitter.leave();
}

void MatmulEmitter::emitTile(Value row, Value column) {
  SmallVector<LaneValue> rowAt = rowsFrom(row), columnAt = columnsFrom(column);
  Values start = startSums(rowAt, columnAt);
  if (plan.prefetch.sums)
    fetchSums(rowAt, column);
  Values sums = runCommon(start, column, startFetches(row, column),
                          [&](int64_t r, LaneValue k) { return lanes.vector(readLeft(row, r, k)); });
  const Value *sum = sums.begin();
  for (const LaneValue &r : rowAt)
    for (const LaneValue &at : columnAt)
      elementEmitter.writeBuffer(result, inBatch({r, at}), lanes.wrap(narrow(*sum++, result.element), lanes.depth()),
                                 std::nullopt);
  storeComplete(row, column);
}

//===-- AMX tiles -----------------------------------------------------------===//

/// Returns the tile of a buffer at `row + down` and `column + right`.
TileInMemory MatmulEmitter::tileAt(const Buffer &buffer, Value row, Value column, int64_t down, int64_t right) {
  OpBuilder &b = lanes.here();
  LaneValue at[] = {lanes.uniform(offsetIndex(b, op->getLoc(), row, down), lanes.depth()),
                    lanes.uniform(offsetIndex(b, op->getLoc(), column, right), lanes.depth())};
  Value pointer = elementEmitter.addressOf(buffer, inBatch(at)).value;
  int64_t pitch = buffer.pitch() * getByteSize(buffer.element);
  return {pointer, arith::ConstantIntOp::create(lanes.here(), op->getLoc(), pitch, 64)};
}

/// Returns the tile of the left side at `row + down` and word `k`.
TileInMemory MatmulEmitter::leftTileAt(Value row, Value k, int64_t down) {
  return leftRows ? tileInRows(row, k, down) : tileAt(lhs.packed, row, k, down, 0);
}

/// Loads the accumulators from the result's buffer, after computing them into it unless they are already there.
Values MatmulEmitter::startTiles(Value row, Value column, ArrayRef<TileInMemory> places) {
  Location loc = op->getLoc();
  Value accumulator = op.getDpsInitOperand(0)->get();
  Values tiles;
  const Buffer *there = context.getBuffer(accumulator);
  if (!there || there->pointer != result.pointer)
    loop(tileRows, 1, [&](Value down) {
      Value at = arith::AddIOp::create(lanes.here(), loc, row, down);
      LaneValue rowAt = lanes.uniform(at, lanes.depth());
      for (const LaneValue &columnAt : columnsFrom(column)) {
        LaneValue value = elementEmitter.get(accumulator, inBatch({rowAt, columnAt}));
        elementEmitter.writeBuffer(result, inBatch({rowAt, columnAt}), lanes.extend(value, plan.element), std::nullopt);
      }
    });
  for (const TileInMemory &place : places)
    tiles.push_back(emitTileLoad(lanes.here(), loc, place));
  return tiles;
}

/// Emits one step of the common dimension in tiles.
Values MatmulEmitter::multiplyTilesAt(Values start, Value row, Value column, Value k) {
  Location loc = op->getLoc();
  Values lefts, rights, next;
  for (int64_t down = 0; down < tileRows; down += AMXTiles::kExtent)
    lefts.push_back(emitTileLoad(lanes.here(), loc, leftTileAt(row, k, down)));
  for (int64_t right = 0; right < plan.tileVectors * plan.width; right += AMXTiles::kExtent)
    rights.push_back(emitTileLoad(lanes.here(), loc, tileAt(rhs.packed, k, column, 0, right)));
  for (Value left : lefts)
    for (Value right : rights)
      next.push_back(emitTileDot(lanes.here(), loc, *plan.amx, start[next.size()], left, right));
  return next;
}

Values MatmulEmitter::multiplyTiles(Values start, Value row, Value column) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, loc, 0);
  if (plan.depth == AMXTiles::kExtent)
    return multiplyTilesAt(std::move(start), row, column, low);
  Value high = arith::ConstantIndexOp::create(b, loc, plan.depth);
  Value by = arith::ConstantIndexOp::create(b, loc, AMXTiles::kExtent);
  auto common = scf::ForOp::create(b, loc, low, high, by, start);
  elementEmitter.enter(common.getBody());
  Values next = multiplyTilesAt(Values(common.getRegionIterArgs()), row, column, common.getInductionVar());
  scf::YieldOp::create(lanes.here(), loc, next);
  elementEmitter.leave();
  return Values(common.getResults());
}

void MatmulEmitter::emitMatrixTile(Value row, Value column) {
  SmallVector<TileInMemory> places;
  for (int64_t down = 0; down < tileRows; down += AMXTiles::kExtent)
    for (int64_t right = 0; right < plan.tileVectors * plan.width; right += AMXTiles::kExtent)
      places.push_back(tileAt(result, row, column, down, right));
  auto multiply = [&](bool isZero) {
    Values start;
    if (!isZero)
      start = startTiles(row, column, places);
    while (start.size() < places.size())
      start.push_back(emitZeroTile(lanes.here(), op->getLoc()));
    Values sums = runIterations(start, [&](Values tiles) { return multiplyTiles(std::move(tiles), row, column); });
    for (auto [place, sum] : llvm::zip(places, sums))
      emitTileStore(lanes.here(), op->getLoc(), place, sum);
  };
  Value accumulator = op.getDpsInitOperand(0)->get();
  if (!accumulation.isZero) {
    multiply(matchPattern(accumulator, m_Zero()) || matchPattern(accumulator, m_PosZeroFloat()));
  } else {
    // The loop is emitted twice, because a tile cannot be the result of a branch.
    auto branch = scf::IfOp::create(lanes.here(), op->getLoc(), accumulation.isZero, /*withElseRegion=*/true);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      elementEmitter.enter(block);
      multiply(block == branch.thenBlock());
      elementEmitter.leave();
    }
    lanes.here();
  }
  storeComplete(row, column);
}

} // namespace blockdsl
