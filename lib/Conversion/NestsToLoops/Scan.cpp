//===- Scan.cpp - Prefix combinations along a dimension --------------------===//
//
// Lanes run along another dimension if there is one, and each has its own prefix. If elements are contiguous along the
// axis, squares of them are transposed in registers, before and after. A scan along the only dimension, or a cheap one
// along rows, runs in vectors too: log2(lanes) shifted combinations compute the prefixes within a vector, and a carry
// links it to the next vector. Products of floats are combined in order instead: the product of a few middle elements
// may overflow although no prefix does. Stores of what is computed from the prefixes run in the same loops.
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "Effects.h"
#include "LoopNestEmitter.h"
#include "Shuffles.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
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
      : context(context), unit(unit), op(cast<ScanOp>(unit.op)),
        type(cast<RankedTensorType>(op->getOperand(0).getType())), shape(unit.config),
        lanes(context.builder, op->getLoc(), shape.machineLanes), elementEmitter(context, lanes) {
    for (const FusionRoot &root : unit.roots)
      stores.push_back(cast<linalg::GenericOp>(root.op));
  }
  void emit();

private:
  Value endOf(int dim);
  void emitFrom(unsigned depth);
  void emitLine();
  Value mirror(Value index);
  Values emitSteps(Value low, Value high, Values carry);
  void assumeMask(Position where);
  SmallVector<LaneValue> indexOf(const View &view, Position where);
  Values step(Value index, Values carry);
  Values squareStep(Value index, Values carry);
  void writeSquare(ArrayRef<Values> found, ArrayRef<LaneValue> columns, ArrayRef<LaneValue> rows);
  Values squaresStep(Value index, ValueRange carry);
  int64_t rowPadding(Value result);
  void store(Position where, ArrayRef<LaneValue> prefixes, ArrayRef<linalg::GenericOp> stores);
  void keep(Position where, ArrayRef<LaneValue> prefixes);
  SmallVector<LaneValue> transposeAll(ValueRange vectors, Type element);
  Values elementsHere();
  Values combineWithin(Values vectors);
  SmallVector<LaneValue> wrapAll(ValueRange values);
  Values prefixesInOrder(ValueRange vectors, Values carry);
  Value shuffle(Value vector, function_ref<int64_t(int64_t)> from);

  EmissionContext &context;
  const FusionGroup &unit;
  ScanOp op;
  RankedTensorType type;
  const NestConfig &shape;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  SmallVector<LaneValue> position;
  SmallVector<std::optional<Buffer>> buffers; ///< of the results that other nests use
  SmallVector<linalg::GenericOp> stores;      ///< of what is computed from the results
  MaskBounds bounds;
  Value lanesAreWhole;    ///< all lanes lie within the bounds; null if they always do
  bool isWhole = false;   ///< the step lies within the bounds
  bool inSquares = false; ///< elements are transposed in registers
  int64_t stepSize() { return alongLanes() || inSquares ? shape.machineLanes : 1; }
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
  for (Value result : op->getResults()) {
    bool isKept = llvm::is_contained(cast<cpu::NestOp>(unit.nest).getYield().getValues(), result);
    buffers.push_back(isKept ? std::optional(context.getOrAllocate(result, rowPadding(result))) : std::nullopt);
  }
  elementEmitter.emitVersioned([&](ElementEmitter::Version version) {
    // A block whose addresses wrap is not contiguous.
    inSquares = version == ElementEmitter::Version::NoWrap && shape.transposed.dim != -1;
    position.assign(type.getRank(), lanes.constantIndex(0));
    bounds = MaskBounds();
    lanesAreWhole = {};
    if (!unit.bounds.empty()) {
      SmallVector<bool> allowed(type.getRank(), true);
      bounds = computeBounds(context, elementEmitter, unit.demand.mask, type.getShape(), allowed, &unit.bounds);
    }
    bounds.highs.resize(type.getRank());
    isWhole = false;
    emitFrom(0);
    return Values();
  });
  lanes.at(0);
}

/// Returns the end of the loop along `dim`, which is that of the block unless the mask bounds it.
Value Scan::endOf(int dim) {
  Value end;
  for (Value high : bounds.highs[dim])
    end = end ? arith::MinSIOp::create(lanes.at(0), op.getLoc(), end, high).getResult() : high;
  return end ? end : arith::ConstantIndexOp::create(lanes.here(), op.getLoc(), type.getDimSize(dim)).getResult();
}

void Scan::emitFrom(unsigned depth) {
  if (depth == shape.order.size())
    return emitLine();
  int dim = shape.order[depth];
  bool isLane = dim == shape.laneDim;
  int64_t stride = !isLane ? 1 : inSquares ? shape.lanes : shape.machineLanes;
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, op.getLoc(), 0), end = endOf(dim);
  Value by = arith::ConstantIndexOp::create(b, op.getLoc(), stride);
  auto loop = scf::ForOp::create(b, op.getLoc(), low, end, by);
  elementEmitter.enter(loop.getBody());
  auto kind = isLane ? LaneValue::Kind::Strided : LaneValue::Kind::Uniform;
  position[dim] = {kind, loop.getInductionVar(), isLane ? 1 : 0, lanes.depth()};
  if (isLane && !bounds.highs[dim].empty()) {
    Value next = arith::AddIOp::create(lanes.here(), op.getLoc(), loop.getInductionVar(), by);
    lanesAreWhole = arith::CmpIOp::create(lanes.here(), op.getLoc(), arith::CmpIPredicate::sle, next, end);
  }
  emitFrom(depth + 1);
  elementEmitter.leave();
}

/// Sets the parts of the mask that bound the loops to true, in a step that lies within the bounds.
void Scan::assumeMask(Position where) {
  if (!isWhole)
    return;
  Value yes = arith::ConstantIntOp::create(lanes.at(0), op.getLoc(), 1, 1);
  for (const MaskPart &part : bounds.parts)
    elementEmitter.assume(part.view.block, indexOf(part.view, where), lanes.uniform(yes, lanes.depth()));
}

/// Returns the index of an element in the block of a view.
SmallVector<LaneValue> Scan::indexOf(const View &view, Position where) {
  return llvm::map_to_vector(view.loops, [&](int loop) { return loop == -1 ? lanes.constantIndex(0) : where[loop]; });
}

Value Scan::shuffle(Value vector, function_ref<int64_t(int64_t)> from) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < shape.machineLanes; ++lane)
    mask.push_back(from(lane));
  return vector::ShuffleOp::create(lanes.here(), op.getLoc(), vector, vector, mask);
}

/// Returns the prefixes within each vector, in the direction of the scan.
Values Scan::combineWithin(Values vectors) {
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
  assumeMask(position);
  return llvm::map_to_vector(op->getOperands(), [&](Value input) {
    LaneValue element = elementEmitter.get(input, position);
    return shape.laneDim == -1 ? element.value : lanes.vector(element);
  });
}

SmallVector<LaneValue> Scan::wrapAll(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return lanes.wrap(value, lanes.depth()); });
}

/// Emits the effects of `stores` on the elements at `where`. All values precede all writes, as in other nests.
void Scan::store(Position where, ArrayRef<LaneValue> prefixes, ArrayRef<linalg::GenericOp> stores) {
  assumeMask(where);
  for (auto [result, prefix] : llvm::zip(op->getResults(), prefixes))
    elementEmitter.assume(result, where, prefix);
  Writes writes;
  for (linalg::GenericOp each : stores)
    emitEffects(elementEmitter, each, where, writes);
  for (auto &each : writes)
    each();
}

/// Writes the prefixes at `where` to the buffers of those results that other nests use.
void Scan::keep(Position where, ArrayRef<LaneValue> prefixes) {
  for (auto [buffer, prefix] : llvm::zip(buffers, prefixes))
    if (buffer)
      elementEmitter.writeBuffer(*buffer, where, prefix, std::nullopt);
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
    elements = combineWithin(elements);
    if (!carry.empty()) {
      for (Value &value : carry)
        value = lanes.vector(lanes.uniform(value, lanes.depth()));
      elements = combine(context, lanes.here(), op->getRegion(0), carry, elements);
    }
  } else if (!carry.empty()) {
    elements = combine(context, lanes.here(), op->getRegion(0), carry, elements);
  }
  SmallVector<LaneValue> prefixes = wrapAll(elements);
  keep(position, prefixes);
  store(position, prefixes, stores);
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
  SmallVector<LaneValue> columns = numbered(index), rows = numbered(position[shape.laneDim].value);
  SmallVector<LaneValue> along = position;
  along[axis] = {LaneValue::Kind::Strided, index, 1, lanes.depth()};
  for (const View &view : shape.transposed.blocks) {
    Values read;
    for (const LaneValue &row : rows) {
      along[shape.laneDim] = row;
      assumeMask(along);
      read.push_back(lanes.vector(elementEmitter.get(view.block, indexOf(view, along))));
    }
    for (auto [column, value] : llvm::zip(columns, transposeAll(read, getElementTypeOrSelf(view.block.getType())))) {
      position[axis] = column;
      elementEmitter.assume(view.block, indexOf(view, position), value);
    }
  }
  SmallVector<Values> found(op->getNumResults(), Values(shape.machineLanes));
  for (int64_t number : llvm::seq(shape.machineLanes)) {
    int64_t column = op.getReverse() ? shape.machineLanes - 1 - number : number;
    position[axis] = columns[column];
    Values elements = elementsHere();
    carry = carry.empty() ? elements : combine(context, lanes.here(), op->getRegion(0), carry, elements);
    for (auto [values, value] : llvm::zip(found, carry))
      values[column] = value;
  }
  writeSquare(found, columns, rows);
  return carry;
}

/// Writes a square of prefixes, which are one vector for each column. Stores that are contiguous along the column take
/// these vectors; others, and the buffers, those of the rows.
void Scan::writeSquare(ArrayRef<Values> found, ArrayRef<LaneValue> columns, ArrayRef<LaneValue> rows) {
  SmallVector<linalg::GenericOp> across, along;
  for (linalg::GenericOp each : stores)
    (storesAlong(context.hints, each, shape.laneDim) ? across : along).push_back(each);
  int axis = op.getAxis();
  for (unsigned number = 0; number < (across.empty() ? 0 : columns.size()); ++number) {
    position[axis] = columns[number];
    Values prefixes = llvm::map_to_vector(found, [&](const Values &values) { return values[number]; });
    store(position, wrapAll(prefixes), across);
  }
  if (along.empty() && llvm::none_of(buffers, [](const auto &buffer) { return buffer.has_value(); }))
    return;
  SmallVector<SmallVector<LaneValue>> transposed;
  for (auto [result, values] : llvm::zip(op->getResults(), found))
    transposed.push_back(transposeAll(values, getElementTypeOrSelf(result.getType())));
  SmallVector<LaneValue> where = position;
  where[axis] = {LaneValue::Kind::Strided, columns[0].value, 1, lanes.depth()};
  for (unsigned number = 0; number < rows.size(); ++number) {
    where[shape.laneDim] = rows[number];
    auto prefixes = llvm::map_to_vector(transposed, [&](ArrayRef<LaneValue> vectors) { return vectors[number]; });
    keep(where, prefixes);
    store(where, prefixes, along);
  }
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
      mine = Values(carry.slice(next.size(), op->getNumResults()));
    llvm::append_range(next, squareStep(index, std::move(mine)));
  }
  position[shape.laneDim].value = first;
  return next;
}

/// Emits a loop over the steps from `low` to `high` along the axis, and returns the carry behind it.
Values Scan::emitSteps(Value low, Value high, Values carry) {
  Location loc = op.getLoc();
  Value by = arith::ConstantIndexOp::create(lanes.here(), loc, stepSize());
  auto loop = scf::ForOp::create(lanes.here(), loc, low, high, by, carry);
  elementEmitter.enter(loop.getBody());
  Values next = step(mirror(loop.getInductionVar()), Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(lanes.here(), loc, next);
  elementEmitter.leave();
  return Values(loop.getResults());
}

/// Returns the index of a step. The loop of a reverse scan also counts up.
Value Scan::mirror(Value index) {
  if (!op.getReverse())
    return index;
  Value last = arith::ConstantIndexOp::create(lanes.here(), op.getLoc(), type.getDimSize(op.getAxis()) - stepSize());
  return arith::SubIOp::create(lanes.here(), op.getLoc(), last, index);
}

/// Emits the scan of a line: the first step without a carry, steps that the mask does not cut, and the others.
void Scan::emitLine() {
  Location loc = op.getLoc();
  int64_t stride = stepSize();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  Values carry = step(mirror(constant(0)), {});
  if (type.getDimSize(op.getAxis()) == stride)
    return;
  Value low = constant(stride), end = endOf(op.getAxis());
  if (bounds.parts.empty()) {
    emitSteps(low, end, carry);
    return;
  }
  Value by = constant(stride);
  Value last = arith::MaxSIOp::create(lanes.here(), loc, end, low);
  Value rest = arith::RemUIOp::create(lanes.here(), loc, last, by);
  Value wholeEnd = arith::SubIOp::create(lanes.here(), loc, last, rest);
  if (lanesAreWhole)
    wholeEnd = arith::SelectOp::create(lanes.here(), loc, lanesAreWhole, wholeEnd, low);
  isWhole = true;
  carry = emitSteps(low, wholeEnd, carry);
  isWhole = false;
  emitSteps(wholeEnd, end, carry);
}

} // namespace

void emitScan(EmissionContext &context, const FusionGroup &unit) {
  llvm::SaveAndRestore versions(context.versions, unit.versions);
  Scan(context, unit).emit();
}

} // namespace blockdsl
