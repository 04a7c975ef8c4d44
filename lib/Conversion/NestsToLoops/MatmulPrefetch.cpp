//===- MatmulPrefetch.cpp - Prefetching of a matmul's operands ---------------===//
//
// Tiles prefetch the parts of operands that are packed next, a few cache lines every few steps, each with one
// instruction. Addresses are those of the loads, computed from the next values of the loop's scalars. A wrong address,
// for instance after a remainder that wraps, does no harm.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace blockdsl {

constexpr int64_t kLine = 64;

/// Locality hints. The next operands go to the L2 cache, because the tiles' operands fill the L1 cache.
constexpr int32_t kIntoL2 = 2;
constexpr int32_t kIntoL1 = 3;

/// Computes the scalars of the enclosing loop in its next iteration.
void MatmulEmitter::findNextScalars() {
  auto around = cast<scf::ForOp>(op->getParentOp()->getParentOp());
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

/// Returns the address of the load in the next iteration, or in this one for rows packed per tile. Returns null if it
/// depends on memory, which must not be read out of bounds.
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
  bool isKnown =
      elementEmitter.runSpeculatively([&] { pointer = elementEmitter.getInBody(map, load.getPtr(), where); });
  for (auto [pair, value] : llvm::zip(replaced, now))
    context.setScalar(pair.first, value);
  return isKnown ? pointer.value : Value();
}

/// Returns what the tile at `row` and `column` prefetches of the operands.
SmallVector<MatmulEmitter::Fetch> MatmulEmitter::startFetches(Value row, Value column) {
  using Part = PrefetchPlan::Part;
  SmallVector<Fetch> fetches;
  if (plan.prefetch.lhs == Part::NextTile)
    startFetches(lhs, offsetIndex(lanes.here(), op->getLoc(), row, tileRows), column, fetches);
  else if (plan.prefetch.lhs == Part::NextIteration)
    startFetches(lhs, row, column, fetches);
  // In another version of the loops it may be read in place.
  if (plan.prefetch.rhs == Part::NextIteration && !rhs.isInPlace())
    startFetches(rhs, column, row, fetches);
  return fetches;
}

/// Adds the share of an operand that one tile prefetches. The tile starts at `first` in the operand's own dimension and
/// at `other` in the result's other dimension; the tiles along that dimension share the operand.
void MatmulEmitter::startFetches(Operand &operand, Value first, Value other, SmallVectorImpl<Fetch> &fetches) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  bool right = isRight(operand);
  int64_t extent = right ? plan.tileColumns() : tileRows, otherExtent = right ? tileRows : plan.tileColumns();
  // A power of two like the extents, so that shares are whole and need no division.
  int64_t tiles = llvm::bit_floor<uint64_t>((right ? plan.rows : plan.columns) / otherExtent);
  Value number = arith::DivUIOp::create(lanes.here(), loc, other, constant(otherExtent));
  number = arith::RemUIOp::create(lanes.here(), loc, number, constant(tiles));
  Strides strides = context.hints.getBodyStrides(operand.map(), operand.load().getPtr());
  int64_t size = getByteSize(operand.load().getType());
  int64_t otherDim =
      operand.plan.common == static_cast<int64_t>(shape.size()) - 1 ? operand.plan.common - 1 : operand.plan.common + 1;
  if (strides[operand.plan.common] == size)
    startRows(operand, first, number, std::min<int64_t>(plan.prefetch.lines, llvm::divideCeil(extent, tiles)), extent,
              fetches);
  else if (strides[otherDim] == size)
    startColumns(operand, first, number, tiles, std::max<int64_t>(1, extent * size / kLine), fetches);
}

/// Adds prefetches of an operand that is contiguous along the common dimension: `share` whole rows of the tile's
/// `extent` rows.
void MatmulEmitter::startRows(Operand &operand, Value first, Value number, int64_t share, int64_t extent,
                              SmallVectorImpl<Fetch> &fetches) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  int64_t size = getByteSize(operand.load().getType());
  Value bytes = arith::ConstantIntOp::create(b, loc, size * plan.instruction.group() * MatmulPlan::kUnroll, 64);
  for (int64_t index = 0; index < share; ++index) {
    Value at = arith::MulIOp::create(lanes.here(), loc, number, constant(share));
    at = arith::AddIOp::create(lanes.here(), loc, at, constant(index));
    at = arith::RemUIOp::create(lanes.here(), loc, at, constant(extent));
    at = arith::AddIOp::create(lanes.here(), loc, at, first);
    if (Value pointer = addressOfNext(operand, at, constant(0)))
      fetches.push_back({pointer, bytes});
  }
}

/// Adds prefetches of an operand that is contiguous along its other dimension. Each tile gets one of the `lines` cache
/// lines of a row, in a segment of the rows, or several lines if there are fewer tiles than lines.
void MatmulEmitter::startColumns(Operand &operand, Value first, Value number, int64_t tiles, int64_t lines,
                                 SmallVectorImpl<Fetch> &fetches) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  auto toInteger = [&](Value address) {
    return LLVM::PtrToIntOp::create(lanes.here(), loc, context.builder.getI64Type(), address);
  };
  int64_t size = getByteSize(operand.load().getType());
  int64_t segments = std::max<int64_t>(1, tiles / lines), linesOfTile = std::max<int64_t>(1, lines / tiles);
  int64_t segment = plan.depth * plan.instruction.group() / segments, iterations = plan.depth / MatmulPlan::kUnroll;
  if (segment == 0 || iterations == 0)
    return;
  int64_t rowsOfIteration =
      std::min<int64_t>(llvm::divideCeil(segment, iterations), std::max<int64_t>(1, plan.prefetch.lines / linesOfTile));
  Value line = arith::RemUIOp::create(lanes.here(), loc, number, constant(lines));
  Value start = arith::DivUIOp::create(lanes.here(), loc, number, constant(lines));
  start = arith::MulIOp::create(lanes.here(), loc, start, constant(segment));
  for (int64_t index = 0; index < std::min(linesOfTile, plan.prefetch.lines); ++index) {
    Value other = offsetIndex(lanes.here(), loc, line, index * tiles);
    other = arith::MulIOp::create(lanes.here(), loc, other, constant(kLine / size));
    other = arith::AddIOp::create(lanes.here(), loc, other, first);
    SmallVector<Value> pointers;
    for (int64_t row = 0; row <= rowsOfIteration; ++row)
      pointers.push_back(addressOfNext(operand, other, offsetIndex(lanes.here(), loc, start, row)));
    if (llvm::is_contained(pointers, Value()))
      return;
    // The last pointer is the first address of the next iteration.
    Value bytes = arith::SubIOp::create(lanes.here(), loc, toInteger(pointers.back()), toInteger(pointers.front()));
    for (Value pointer : ArrayRef(pointers).drop_back())
      fetches.push_back({pointer, bytes});
  }
}

/// Emits one prefetch for each cache line of a tile's vectors.
void MatmulEmitter::fetchLines(function_ref<LaneValue(int64_t vector)> addressOf) {
  int64_t vectorsOfLine = std::max<int64_t>(1, kLine / (plan.width * getByteSize(plan.element)));
  for (int64_t vector = 0; vector < plan.tileVectors; vector += vectorsOfLine)
    LLVM::Prefetch::create(lanes.here(), op->getLoc(), addressOf(vector).value, /*rw=*/0, kIntoL1, /*cache=*/1);
}

/// Prefetches the panel's vectors of a few steps later from the L2 cache. In the last steps these belong to the next
/// tile to the right.
void MatmulEmitter::fetchPanel(Value k, Value column) {
  LaneValue later = lanes.uniform(offsetIndex(lanes.here(), op->getLoc(), k, plan.prefetch.steps), lanes.depth());
  fetchLines([&](int64_t vector) { return elementEmitter.addressOf(rhs.packed, inPanel(later, column, vector)); });
}

/// Prefetches the accumulators of the next tile to the right.
void MatmulEmitter::fetchSums(ArrayRef<LaneValue> rowAt, Value column) {
  const Buffer &accumulator = *context.getBuffer(op.getDpsInitOperand(0)->get());
  Value next = offsetIndex(lanes.here(), op->getLoc(), column, plan.tileColumns());
  for (const LaneValue &row : rowAt)
    fetchLines(
        [&](int64_t vector) { return elementEmitter.addressOf(accumulator, inBatch({row, columnAt(next, vector)})); });
}

/// Emits a prefetch and returns the address for the next iteration.
Value MatmulEmitter::emitFetch(Value pointer, Value bytes) {
  OpBuilder &b = lanes.here();
  LLVM::Prefetch::create(b, op->getLoc(), pointer, /*rw=*/0, kIntoL2, /*cache=*/1);
  return LLVM::GEPOp::create(b, op->getLoc(), pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

} // namespace blockdsl
