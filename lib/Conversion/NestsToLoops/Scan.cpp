//===- Scan.cpp - Prefix combinations along a dimension --------------------===//
//
// Lanes run along another dimension if there is one, and each has its own prefix. If elements are contiguous along the
// axis, squares of them are transposed in registers, before and after. A scan along the only dimension, or a cheap one
// along rows, runs in vectors too: log2(lanes) shifted combinations compute the prefixes within a vector, and a carry
// links it to the next vector. Products of floats are combined in order instead: the product of a few middle elements
// may overflow although no prefix does.
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "LoopNestEmitter.h"
#include "Shuffles.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {
namespace {

class Scan {
public:
  Scan(EmissionContext &context, const FusionGroup &unit)
      : context(context), op(cast<ScanOp>(unit.op)), type(cast<RankedTensorType>(op->getOperand(0).getType())),
        shape(unit.config), lanes(context.builder, op->getLoc(), shape.machineLanes), elementEmitter(context, lanes) {}
  void emit();

private:
  void emitFrom(unsigned depth);
  void emitLine();
  Values step(Value index, Values carry);
  Values squareStep(Value index, Values carry);
  Values squaresStep(Value index, ValueRange carry);
  int64_t rowPadding(Value result);
  SmallVector<LaneValue> transposeAll(ValueRange vectors, Type element);
  Values elementsHere();
  Values prefixes(Values vectors);
  Values prefixesInOrder(ValueRange vectors, Values carry);
  Value shuffle(Value vector, function_ref<int64_t(int64_t)> from);

  EmissionContext &context;
  ScanOp op;
  RankedTensorType type;
  const NestConfig &shape;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  SmallVector<LaneValue> position;
  SmallVector<Buffer> results;
  bool inSquares = false; ///< elements are transposed in registers
  bool alongLanes() { return shape.laneDim == static_cast<int>(op.getAxis()); }
};

/// The bytes of rows from which on their columns would share a set of the first cache.
static constexpr int64_t kConflicting = 512;
/// Bytes of a cache line.
static constexpr int64_t kLine = 64;

/// Returns the elements between rows of a result that is written in squares. Rows are a power of two, so that without
/// them the lines of a square would evict each other.
int64_t Scan::rowPadding(Value result) {
  int64_t bytes = getByteSize(getElementTypeOrSelf(result.getType()));
  return shape.transposed.dim == -1 || type.getShape().back() * bytes < kConflicting ? 0 : kLine / bytes;
}

void Scan::emit() {
  for (Value result : op->getResults())
    results.push_back(context.getOrAllocate(result, rowPadding(result)));
  elementEmitter.emitVersioned([&](ElementEmitter::Version version) {
    // A block whose addresses wrap is not contiguous.
    inSquares = version == ElementEmitter::Version::NoWrap && shape.transposed.dim != -1;
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
  Value stride = arith::ConstantIndexOp::create(b, op.getLoc(),
                                                !isLane     ? 1
                                                : inSquares ? shape.lanes
                                                            : shape.machineLanes);
  auto loop = scf::ForOp::create(b, op.getLoc(), low, high, stride);
  elementEmitter.enter(loop.getBody());
  auto kind = isLane ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform;
  position[dim] = {kind, loop.getInductionVar(), isLane ? 1 : 0, lanes.depth()};
  emitFrom(depth + 1);
  elementEmitter.leave();
}

Value Scan::shuffle(Value vector, function_ref<int64_t(int64_t)> from) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < shape.machineLanes; ++lane)
    mask.push_back(from(lane));
  return vector::ShuffleOp::create(lanes.here(), op.getLoc(), vector, vector, mask);
}

/// Returns the prefixes within each vector, in the direction of the scan.
Values Scan::prefixes(Values vectors) {
  Location loc = op.getLoc();
  int64_t width = shape.machineLanes;
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

/// Returns the prefixes from the carry on, one lane after the other in the direction of the scan. The carry is empty in
/// the first step.
Values Scan::prefixesInOrder(ValueRange vectors, Values carry) {
  Location loc = op.getLoc();
  OpBuilder &b = lanes.here();
  SmallVector<Values> found(vectors.size(), Values(shape.machineLanes));
  for (int64_t number : llvm::seq(shape.machineLanes)) {
    int64_t lane = op.getReverse() ? shape.machineLanes - 1 - number : number;
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

/// Returns the elements of the operands at the current position.
Values Scan::elementsHere() {
  return llvm::map_to_vector(op->getOperands(), [&](Value input) {
    LaneValue element = elementEmitter.get(input, position);
    return shape.laneDim == -1 ? element.value : lanes.vector(element);
  });
}

/// Emits the results at `index` along the axis and returns the carry for the next step. The carry is empty in the first
/// step.
Values Scan::step(Value index, Values carry) {
  if (inSquares)
    return squaresStep(index, carry);
  Location loc = op.getLoc();
  int axis = op.getAxis();
  position[axis] = {alongLanes() ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform, index, alongLanes() ? 1 : 0,
                    lanes.depth()};
  Values elements = elementsHere();
  if (alongLanes() && isFloatProduct(op->getRegion(0))) {
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
                                             ArrayRef<int64_t>{op.getReverse() ? 0 : shape.machineLanes - 1}));
  return next;
}

/// Transposes as many vectors as they have lanes, of elements of a block. Returns them as lane values.
SmallVector<LaneValue> Scan::transposeAll(ValueRange vectors, Type element) {
  Location loc = op.getLoc();
  OpBuilder &b = lanes.here();
  Type held;
  Vectors rows = llvm::map_to_vector(vectors, [&](Value vector) -> Value {
    Value value = lanes.toMemory(lanes.wrap(vector, lanes.depth()), element).value;
    held = value.getType();
    if (!isa<FloatType>(getElementTypeOrSelf(held)))
      return value;
    // LLVM has more shuffles of integers.
    Type bits = b.getIntegerType(getElementTypeOrSelf(held).getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, loc, cast<VectorType>(held).clone(bits), value);
  });
  return llvm::map_to_vector(transpose(b, loc, std::move(rows)), [&](Value vector) {
    Value value = vector.getType() == held ? vector : arith::BitcastOp::create(b, loc, held, vector);
    return lanes.fromMemory(lanes.wrap(value, lanes.depth()), element);
  });
}

/// Emits the results of as many rows as there are lanes, for as many elements of each from `index` on, and returns the
/// carry for the next step. The carry is empty in the first step.
Values Scan::squareStep(Value index, Values carry) {
  Location loc = op.getLoc();
  int axis = op.getAxis();
  auto numbered = [&](Value start) {
    return llvm::map_to_vector(llvm::seq(shape.machineLanes), [&](int64_t number) {
      OpBuilder &b = lanes.here();
      Value by = arith::ConstantIndexOp::create(b, loc, number);
      return lanes.uniform(arith::AddIOp::create(b, loc, start, by), lanes.depth());
    });
  };
  auto indexOf = [&](const View &view, Position where) {
    return llvm::map_to_vector(view.loops, [&](int loop) { return loop == -1 ? lanes.constantIndex(0) : where[loop]; });
  };
  SmallVector<LaneValue> columns = numbered(index), rows = numbered(position[shape.laneDim].value);
  SmallVector<LaneValue> along = position;
  along[axis] = {LaneValue::Kind::Strided, index, 1, lanes.depth()};
  for (const View &view : shape.transposed.blocks) {
    Values read;
    for (const LaneValue &row : rows) {
      along[shape.laneDim] = row;
      read.push_back(lanes.vector(elementEmitter.get(view.block, indexOf(view, along))));
    }
    for (auto [column, value] : llvm::zip(columns, transposeAll(read, getElementTypeOrSelf(view.block.getType())))) {
      position[axis] = column;
      elementEmitter.assume(view.block, indexOf(view, position), value);
    }
  }
  SmallVector<Values> found(results.size(), Values(shape.machineLanes));
  for (int64_t number : llvm::seq(shape.machineLanes)) {
    int64_t column = op.getReverse() ? shape.machineLanes - 1 - number : number;
    position[axis] = columns[column];
    Values elements = elementsHere();
    carry = carry.empty() ? elements : combine(context, lanes.here(), op->getRegion(0), carry, elements);
    for (auto [values, value] : llvm::zip(found, carry))
      values[column] = value;
  }
  for (auto [buffer, values] : llvm::zip(results, found))
    for (auto [row, value] : llvm::zip(rows, transposeAll(values, buffer.element))) {
      along[shape.laneDim] = row;
      elementEmitter.writeBuffer(buffer, along, value, std::nullopt);
    }
  return carry;
}

/// Emits the squares of all rows of a step, whose chains of combinations are independent.
Values Scan::squaresStep(Value index, ValueRange carry) {
  Value first = position[shape.laneDim].value;
  Values next;
  for (int64_t row = 0; row < shape.lanes; row += shape.machineLanes) {
    Value by = arith::ConstantIndexOp::create(lanes.here(), op.getLoc(), row);
    position[shape.laneDim].value = arith::AddIOp::create(lanes.here(), op.getLoc(), first, by);
    Values mine;
    if (!carry.empty())
      mine = Values(carry.slice(next.size(), results.size()));
    llvm::append_range(next, squareStep(index, std::move(mine)));
  }
  position[shape.laneDim].value = first;
  return next;
}

void Scan::emitLine() {
  Location loc = op.getLoc();
  int64_t size = type.getDimSize(op.getAxis()), stride = alongLanes() || inSquares ? shape.machineLanes : 1;
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

void emitScan(EmissionContext &context, const FusionGroup &unit) {
  llvm::SaveAndRestore versions(context.versions, unit.versions);
  Scan(context, unit).emit();
}

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
