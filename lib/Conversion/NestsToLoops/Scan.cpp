//===- Scan.cpp - Prefix combinations along a dimension --------------------===//
//
// Lanes run along another dimension if there is one, and each has its own prefix. A scan along the only dimension, or
// along rows, runs in vectors too: log2(lanes) shifted combinations compute the prefixes within a vector, and a carry
// links it to the next vector. Products of floats are combined in order instead: the product of a few middle elements
// may overflow although no prefix does.
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "LoopNestEmitter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {
namespace {

class Scan {
public:
  Scan(EmissionContext &context, const FusionGroup &unit)
      : context(context), op(cast<ScanOp>(unit.op)), type(cast<RankedTensorType>(op->getOperand(0).getType())),
        shape(unit.config), lanes(context.builder, op->getLoc(), shape.lanes), elementEmitter(context, lanes) {}
  void emit();

private:
  void emitFrom(unsigned depth);
  void emitLine();
  Values step(Value index, Values carry);
  Values prefixes(Values vectors);
  Values prefixesInOrder(ValueRange vectors, Values carry);
  bool isProduct();
  Value shuffle(Value vector, function_ref<int64_t(int64_t)> from);

  EmissionContext &context;
  ScanOp op;
  RankedTensorType type;
  const NestConfig &shape;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  SmallVector<LaneValue> position;
  SmallVector<Buffer> results;
  bool alongLanes() { return shape.laneDim == static_cast<int>(op.getAxis()); }
};

void Scan::emit() {
  for (Value result : op->getResults())
    results.push_back(context.getOrAllocate(result));
  elementEmitter.emitVersioned([&](ElementEmitter::Version) {
    position.assign(type.getRank(), lanes.constantIndex(0));
    emitFrom(0);
    return Values();
  });
  lanes.at(0);
}

void Scan::emitFrom(unsigned depth) {
  if (depth == shape.order.size())
    return emitLine();
  int dim = shape.order[depth];
  bool isLane = dim == shape.laneDim;
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, op.getLoc(), 0);
  Value high = arith::ConstantIndexOp::create(b, op.getLoc(), type.getDimSize(dim));
  Value stride = arith::ConstantIndexOp::create(b, op.getLoc(), isLane ? shape.lanes : 1);
  auto loop = scf::ForOp::create(b, op.getLoc(), low, high, stride);
  elementEmitter.enter(loop.getBody());
  auto kind = isLane ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform;
  position[dim] = {kind, loop.getInductionVar(), isLane ? 1 : 0, lanes.depth()};
  emitFrom(depth + 1);
  elementEmitter.leave();
}

Value Scan::shuffle(Value vector, function_ref<int64_t(int64_t)> from) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < shape.lanes; ++lane)
    mask.push_back(from(lane));
  return vector::ShuffleOp::create(lanes.here(), op.getLoc(), vector, vector, mask);
}

/// Returns the prefixes within each vector, in the direction of the scan.
Values Scan::prefixes(Values vectors) {
  Location loc = op.getLoc();
  int64_t width = shape.lanes;
  for (int64_t distance = 1; distance < width; distance *= 2) {
    Values shifted;
    for (Value vector : vectors)
      shifted.push_back(shuffle(vector, [&](int64_t lane) {
        int64_t from = op.getReverse() ? lane + distance : lane - distance;
        return from >= 0 && from < width ? from : lane;
      }));
    Values combined = combine(context, lanes.here(), op->getRegion(0), shifted, vectors);
    SmallVector<bool> takes;
    for (int64_t lane = 0; lane < width; ++lane)
      takes.push_back(op.getReverse() ? lane + distance < width : lane >= distance);
    auto flags = DenseElementsAttr::get(VectorType::get({width}, lanes.here().getI1Type()), takes);
    Value takesValue = arith::ConstantOp::create(lanes.here(), loc, flags);
    for (auto [vector, next] : llvm::zip(vectors, combined))
      vector = arith::SelectOp::create(lanes.here(), loc, takesValue, next, vector);
  }
  return vectors;
}

/// Returns true if the scan multiplies floats.
bool Scan::isProduct() {
  Block &body = op->getRegion(0).front();
  return llvm::hasNItems(body.without_terminator(), 1) && isa<arith::MulFOp>(body.front());
}

/// Returns the prefixes from the carry on, one lane after the other in the direction of the scan. The carry is empty in
/// the first step.
Values Scan::prefixesInOrder(ValueRange vectors, Values carry) {
  Location loc = op.getLoc();
  OpBuilder &b = lanes.here();
  SmallVector<Values> found(vectors.size(), Values(shape.lanes));
  for (int64_t number : llvm::seq(shape.lanes)) {
    int64_t lane = op.getReverse() ? shape.lanes - 1 - number : number;
    Values elements;
    for (Value vector : vectors)
      elements.push_back(vector::ExtractOp::create(b, loc, vector, lane));
    carry = carry.empty() ? elements : combine(context, b, op->getRegion(0), carry, elements);
    for (auto [values, value] : llvm::zip(found, carry))
      values[lane] = value;
  }
  Values results;
  for (auto [vector, values] : llvm::zip(vectors, found))
    results.push_back(vector::FromElementsOp::create(b, loc, cast<VectorType>(vector.getType()), values));
  return results;
}

/// Emits the results at `index` along the axis and returns the carry for the next step. The carry is empty in the first
/// step.
Values Scan::step(Value index, Values carry) {
  Location loc = op.getLoc();
  int axis = op.getAxis();
  position[axis] = {alongLanes() ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform, index, alongLanes() ? 1 : 0,
                    lanes.depth()};
  Values elements;
  for (Value input : op->getOperands()) {
    LaneValue element = elementEmitter.get(input, position);
    elements.push_back(shape.laneDim == -1 ? element.value : lanes.vector(element));
  }
  if (alongLanes() && isProduct()) {
    elements = prefixesInOrder(elements, carry);
  } else if (alongLanes()) {
    elements = prefixes(elements);
    if (!carry.empty()) {
      for (Value &value : carry)
        value = lanes.vector(lanes.uniform(value, lanes.depth()));
      elements = combine(context, lanes.here(), op->getRegion(0), carry, elements);
    }
  } else if (!carry.empty()) {
    elements = combine(context, lanes.here(), op->getRegion(0), carry, elements);
  }
  for (auto [element, buffer] : llvm::zip(elements, results))
    elementEmitter.writeBuffer(buffer, position, lanes.wrap(element, lanes.depth()), std::nullopt);
  if (!alongLanes())
    return elements;
  Values next;
  for (Value element : elements)
    next.push_back(vector::ExtractOp::create(lanes.here(), loc, element,
                                             ArrayRef<int64_t>{op.getReverse() ? 0 : shape.lanes - 1}));
  return next;
}

void Scan::emitLine() {
  Location loc = op.getLoc();
  int64_t size = type.getDimSize(op.getAxis()), stride = alongLanes() ? shape.lanes : 1;
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  // The loop of a reverse scan also counts up; the index is mirrored.
  auto mirror = [&](Value index) -> Value {
    if (!op.getReverse())
      return index;
    Value last = constant(size - stride);
    return arith::SubIOp::create(lanes.here(), loc, last, index);
  };
  Values carry = step(mirror(constant(0)), {});
  if (size == stride)
    return;
  Value low = constant(stride), high = constant(size), by = constant(stride);
  auto loop = scf::ForOp::create(lanes.here(), loc, low, high, by, carry);
  elementEmitter.enter(loop.getBody());
  Values next = step(mirror(loop.getInductionVar()), Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(lanes.here(), loc, next);
  elementEmitter.leave();
}

} // namespace

void emitScan(EmissionContext &context, const FusionGroup &unit) { Scan(context, unit).emit(); }

//===-- Histograms ----------------------------------------------------------===//

/// Emits a loop over single elements, because two lanes may have the same bin.
void emitHistogram(EmissionContext &context, Operation *op) {
  auto histogram = cast<HistogramOp>(op);
  Location loc = op->getLoc();
  LaneEmitter lanes(context.builder, loc, /*lanes=*/1);
  ElementEmitter elementEmitter(context, lanes);
  const Buffer bins = context.getOrAllocate(histogram.getResult());
  auto loop = [&](int64_t size, function_ref<void(LaneValue)> body) {
    OpBuilder &b = lanes.here();
    Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, size);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto emitted = scf::ForOp::create(b, loc, low, high, one);
    elementEmitter.enter(emitted.getBody());
    body(lanes.uniform(emitted.getInductionVar(), lanes.depth()));
    elementEmitter.leave();
  };
  auto constant = [&](int64_t value) {
    return lanes.uniform(arith::ConstantOp::create(lanes.at(0), loc, lanes.at(0).getIntegerAttr(bins.element, value)));
  };
  loop(bins.shape[0], [&](LaneValue bin) { elementEmitter.writeBuffer(bins, bin, constant(0), std::nullopt); });
  auto source = cast<RankedTensorType>(histogram.getSrc().getType());
  loop(source.getDimSize(0), [&](LaneValue at) {
    LaneValue value = elementEmitter.get(histogram.getSrc(), at);
    OpBuilder &b = lanes.here();
    Value wide = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value.value);
    Value size = arith::ConstantIndexOp::create(b, loc, bins.shape[0]);
    // Values that have no bin are not counted.
    Value counted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wide, size);
    if (histogram.getMask()) {
      LaneValue mask = elementEmitter.get(histogram.getMask(), at);
      counted = arith::AndIOp::create(lanes.here(), loc, counted, mask.value);
    }
    auto branch = scf::IfOp::create(lanes.here(), loc, counted, /*withElseRegion=*/false);
    elementEmitter.enter(branch.thenBlock());
    LaneValue bin = elementEmitter.addressOf(bins, lanes.uniform(wide, lanes.depth()));
    // The load must stay in the loop, even if there is a single bin and the address is invariant.
    bin.level = lanes.depth();
    LaneEmitter::Access access{bins.element};
    lanes.store(bin, lanes.add(lanes.load(bin, access, std::nullopt, std::nullopt), constant(1)), access, std::nullopt);
    elementEmitter.leave();
  });
  lanes.at(0);
}

} // namespace blockdsl
