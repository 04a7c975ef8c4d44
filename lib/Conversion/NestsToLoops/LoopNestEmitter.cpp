//===- LoopNestEmitter.cpp - The loops of a nest --------------------------------------===//
//
// Loops, their bounds and their remainders. The body at one index is in LoopNestBody.cpp, the alignment of stores in
// LoopNestStores.cpp.
//
//===----------------------------------------------------------------------===//

#include "LoopNestEmitter.h"

#include "LoopHints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {

LoopNestEmitter::LoopNestEmitter(EmissionContext &context, const FusionGroup &unit)
    : context(context), unit(unit), shape(unit.config),
      lanes(context.builder, unit.roots[0].op ? unit.roots[0].op->getLoc() : unit.roots[0].block.getLoc(), shape.lanes),
      elementEmitter(context, lanes) {}

void LoopNestEmitter::findBounds() {
  bounds = MaskBounds();
  position.assign(unit.shape.size(), lanes.constantIndex(0));
  dimLevel.assign(unit.shape.size(), 0);
  if (!unit.bounds.empty()) {
    SmallVector<bool> allowed(unit.shape.size(), unit.demand.axis == -1);
    if (unit.demand.axis != -1)
      allowed[unit.demand.axis] = true;
    bounds = computeBounds(context, elementEmitter, unit.demand.mask, unit.shape, allowed, &unit.bounds);
  }
  bounds.lows.resize(unit.shape.size());
  bounds.highs.resize(unit.shape.size());
}

/// Returns the results of full reductions.
static Values scalarResults(const FusionGroup &unit) {
  Values results;
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Reduce && !isa<RankedTensorType>(root.op->getResult(0).getType()))
      llvm::append_range(results, root.op->getResults());
  return results;
}

/// Emits the loops of one version and returns the scalars of full reductions.
Values LoopNestEmitter::emitVersion(ElementEmitter::Version version) {
  // A block whose addresses wrap is not contiguous.
  if (version != ElementEmitter::Version::NoWrap)
    shape.transposed = {};
  if (version == ElementEmitter::Version::Generic) {
    // Scalar code is the smallest.
    shape.makeScalar();
    lanes.setLanes(1);
    isUnlikely = true;
  }
  findBounds();
  emitFrom(0);
  return llvm::map_to_vector(scalarResults(unit), [&](Value result) { return context.getScalar(result); });
}

void LoopNestEmitter::emit(std::optional<Buffer> copy) {
  llvm::SaveAndRestore versions(context.versions, unit.versions);
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Write)
      continue;
    const Buffer *existing = root.target ? context.getBuffer(root.target) : &*copy;
    auto type = cast<RankedTensorType>(root.block.getType());
    // Inside the nest the block is still computed: its buffer is set as the target's only after the loops.
    written.push_back(existing ? *existing : context.allocate(lanes.getLoc(), type.getShape(), type.getElementType()));
  }
  Values scalars = elementEmitter.emitVersioned([&](ElementEmitter::Version version) { return emitVersion(version); });
  for (auto [result, scalar] : llvm::zip(scalarResults(unit), scalars))
    context.setScalar(result, scalar);
  const auto *buffer = written.begin();
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Write) {
      if (root.target)
        context.setBuffer(root.target, *buffer);
      ++buffer;
    }
  lanes.at(0);
}

/// Returns a bound of a loop; null if it runs over the whole dimension.
Value LoopNestEmitter::bound(int dim, bool high) {
  ArrayRef<Value> values = high ? bounds.highs[dim] : bounds.lows[dim];
  Value result;
  for (Value value : values) {
    OpBuilder &b = lanes.at(0);
    if (!result)
      result = value;
    else if (high)
      result = arith::MinSIOp::create(b, lanes.getLoc(), result, value);
    else
      result = arith::MaxSIOp::create(b, lanes.getLoc(), result, value);
  }
  return result;
}

/// The maximal depth of a nest: LLVM's compile time doubles with each nested loop.
static constexpr unsigned kMostLoops = 6;

/// Returns how many of the outermost dimensions share one loop.
unsigned LoopNestEmitter::countMerged() const {
  unsigned dims = shape.order.size() <= kMostLoops ? 0 : shape.order.size() - kMostLoops + 1;
  auto isPlain = [&](int dim) {
    return dim != unit.axis && dim != shape.laneDim && bounds.lows[dim].empty() && bounds.highs[dim].empty();
  };
  return llvm::all_of(ArrayRef(shape.order).take_front(dims), isPlain) ? dims : 0;
}

/// Emits one loop over the first `dims` dimensions, whose indices are computed from its induction variable.
void LoopNestEmitter::emitMerged(unsigned dims) {
  Location loc = lanes.getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  int64_t iterations = 1;
  for (int dim : ArrayRef(shape.order).take_front(dims))
    iterations *= unit.shape[dim];
  Value low = constant(0), high = constant(iterations), step = constant(1);
  auto loop = scf::ForOp::create(lanes.here(), loc, low, high, step);
  elementEmitter.enter(loop.getBody());
  Value rest = loop.getInductionVar();
  for (int dim : llvm::reverse(ArrayRef(shape.order).take_front(dims))) {
    Value size = constant(unit.shape[dim]);
    setPosition(dim, arith::RemUIOp::create(lanes.here(), loc, rest, size));
    rest = arith::DivUIOp::create(lanes.here(), loc, rest, size);
  }
  emitFrom(dims);
  elementEmitter.leave();
}

void LoopNestEmitter::emitFrom(unsigned depth) {
  if (unsigned dims = depth == 0 ? countMerged() : 0)
    return emitMerged(dims);
  if (depth == shape.order.size())
    return finishReductions(emitBody({}));
  int dim = shape.order[depth];
  if (dim == shape.transposed.dim)
    return emitBands(dim);
  if (dim != unit.axis || depth + 1 < shape.order.size()) {
    loopOver(dim, {}, false, [&](Values) {
      emitFrom(depth + 1);
      return Values();
    });
    return;
  }
  bool skipFirst = false;
  Values accumulators = startAccumulators(dim, skipFirst);
  finishReductions(
      loopOver(dim, std::move(accumulators), skipFirst, [&](Values next) { return emitBody(std::move(next)); }));
}

void LoopNestEmitter::setPosition(int dim, Value index) {
  auto kind = dim == shape.laneDim ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform;
  APInt constant;
  unsigned level = lanes.depth();
  if (matchPattern(index, m_ConstantInt(&constant))) {
    index = lanes.constantIndex(constant.getSExtValue()).value;
    // Values at a constant index are hoisted out of the loops, but not above the test of a version.
    level = std::min(level, 1u);
  }
  position[dim] = {kind, index, dim == shape.laneDim ? 1 : 0, level};
  dimLevel[dim] = lanes.depth();
}

Values LoopNestEmitter::countedLoop(int dim, Value low, Value high, int64_t step, Values accumulators, Body body) {
  OpBuilder &b = lanes.here();
  Value stepValue = arith::ConstantIndexOp::create(b, lanes.getLoc(), step);
  auto loop = scf::ForOp::create(b, lanes.getLoc(), low, high, stepValue, accumulators);
  if (isUnlikely)
    keepSmall(loop);
  else if (isOfTile)
    keepRolled(loop);
  else if (step > 1 && shape.machineLanes < shape.lanes)
    keepRolledIfUnknown(loop);
  elementEmitter.enter(loop.getBody());
  setPosition(dim, loop.getInductionVar());
  Values next = body(Values(loop.getRegionIterArgs()));
  if (!accumulators.empty())
    scf::YieldOp::create(lanes.here(), lanes.getLoc(), next);
  elementEmitter.leave();
  return Values(loop.getResults());
}

Values LoopNestEmitter::loopOver(int dim, Values accumulators, bool skipFirst, Body body) {
  if (dim == shape.laneDim)
    return laneLoop(dim, std::move(accumulators), skipFirst, body);
  Value low = bound(dim, false), high = bound(dim, true);
  if (!low)
    low = arith::ConstantIndexOp::create(lanes.here(), lanes.getLoc(), skipFirst ? 1 : 0);
  if (!high)
    high = arith::ConstantIndexOp::create(lanes.here(), lanes.getLoc(), unit.shape[dim]);
  return countedLoop(dim, low, high, 1, std::move(accumulators), body);
}

/// Emits one vector step that is masked to the lanes from `low` to `high`, relative to `start`.
Values LoopNestEmitter::maskedStep(Value start, Value low, Value high, Values accumulators, Body body, bool overruns) {
  OpBuilder &b = lanes.here();
  Location loc = lanes.getLoc();
  Type i32 = b.getI32Type();
  // Lane numbers fit 32 bits, where comparisons are cheap.
  LaneValue lane{LaneValue::Kind::Strided, arith::ConstantIntOp::create(b, loc, 0, 32), 1, lanes.depth()};
  Value steps = lanes.vector(lane);
  auto compare = [&](arith::CmpIPredicate predicate, Value limit) -> Value {
    Value narrow = arith::IndexCastOp::create(lanes.here(), loc, i32, limit);
    Value splat = lanes.vector(lanes.uniform(narrow, lanes.depth()));
    return arith::CmpIOp::create(lanes.here(), loc, predicate, steps, splat);
  };
  Value mask = compare(arith::CmpIPredicate::slt, high);
  if (low) {
    Value above = compare(arith::CmpIPredicate::sge, low);
    mask = arith::AndIOp::create(lanes.here(), loc, mask, above);
  }
  setPosition(shape.laneDim, start);
  tailMask = lanes.wrap(mask, lanes.depth());
  if (overruns)
    lanes.restrictTo(tailMask);
  Values result = body(std::move(accumulators));
  lanes.restrictTo(std::nullopt);
  tailMask.reset();
  return result;
}

Values LoopNestEmitter::laneLoop(int dim, Values accumulators, bool skipFirst, Body body) {
  Location loc = lanes.getLoc();
  int64_t size = unit.shape[dim];
  Value low = bound(dim, false), high = bound(dim, true);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  if (hasSingleStep(dim)) {
    Value zero = constant(0);
    if (low || high)
      return maskedStep(zero, low, high ? high : constant(size), std::move(accumulators), body);
    setPosition(dim, zero);
    return body(std::move(accumulators));
  }
  Value start = low ? low : constant(skipFirst ? shape.lanes : 0);
  startsAnywhere = low != nullptr;
  Value end = high ? high : constant(size);
  Value fullEnd = end, rest;
  if (low || high) {
    start = alignStores(start, end, body);
    Value length = arith::SubIOp::create(lanes.here(), loc, end, start);
    Value zero = constant(0), step = constant(shape.lanes);
    length = arith::MaxSIOp::create(lanes.here(), loc, length, zero);
    rest = arith::RemUIOp::create(lanes.here(), loc, length, step);
    Value whole = arith::SubIOp::create(lanes.here(), loc, length, rest);
    fullEnd = arith::AddIOp::create(lanes.here(), loc, start, whole);
  }
  // A nest with transposed blocks tests the alignment of each row in emitRow.
  bool isRow = shape.transposed.dim == -1;
  if (Value aligned = isRow ? isAligned(start) : Value()) {
    auto branch = scf::IfOp::create(lanes.here(), loc, aligned, /*withElseRegion=*/true);
    for (bool stream : {true, false}) {
      streaming = stream;
      elementEmitter.enter(stream ? branch.thenBlock() : branch.elseBlock());
      countedLoop(dim, start, fullEnd, shape.lanes, {}, body);
      elementEmitter.leave();
      streaming = false;
    }
  } else {
    accumulators = countedLoop(dim, start, fullEnd, shape.lanes, std::move(accumulators), body);
  }
  if (!low && !high)
    return accumulators;
  return restOfLanes(dim, fullEnd, end, rest, std::move(accumulators), body);
}

/// Emits the `rest` after whole steps in single machine vectors, of which only the last is masked. A masked step would
/// compute several vectors without any active lane.
Values LoopNestEmitter::restOfLanes(int dim, Value start, Value end, Value rest, Values accumulators, Body body) {
  Location loc = lanes.getLoc();
  if (shape.machineLanes < shape.lanes) {
    accumulators = narrow(std::move(accumulators));
    lanes.setLanes(shape.machineLanes);
    Value step = arith::ConstantIndexOp::create(lanes.here(), loc, shape.machineLanes);
    Value last = arith::RemUIOp::create(lanes.here(), loc, rest, step);
    Value whole = arith::SubIOp::create(lanes.here(), loc, rest, last);
    Value wholeEnd = arith::AddIOp::create(lanes.here(), loc, start, whole);
    accumulators = countedLoop(dim, start, wholeEnd, shape.machineLanes, std::move(accumulators), body);
    start = wholeEnd;
  }
  accumulators = lastLanes(start, end, std::move(accumulators), body);
  lanes.setLanes(shape.lanes);
  return accumulators;
}

/// Emits a masked vector for the last lanes, if there are any.
Values LoopNestEmitter::lastLanes(Value start, Value end, Values accumulators, Body body) {
  Location loc = lanes.getLoc();
  Value left = arith::CmpIOp::create(lanes.here(), loc, arith::CmpIPredicate::slt, start, end);
  scf::IfOp tail;
  if (accumulators.empty())
    tail = scf::IfOp::create(lanes.here(), loc, left, /*withElseRegion=*/false);
  else
    tail = scf::IfOp::create(lanes.here(), loc, ValueRange(accumulators).getTypes(), left, /*withElseRegion=*/true);
  elementEmitter.enter(tail.thenBlock());
  Value remaining = arith::SubIOp::create(lanes.here(), loc, end, start);
  Values next = maskedStep(start, {}, remaining, accumulators, body, startsAnywhere);
  if (!accumulators.empty())
    scf::YieldOp::create(lanes.here(), loc, next);
  elementEmitter.leave();
  if (accumulators.empty())
    return {};
  OpBuilder::InsertionGuard guard(context.builder);
  context.builder.setInsertionPointToEnd(tail.elseBlock());
  scf::YieldOp::create(context.builder, loc, accumulators);
  return Values(tail.getResults());
}

} // namespace blockdsl
