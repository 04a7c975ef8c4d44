//===- Product.cpp - Matrix products as register tiles ---------------------===//
//
// A tile of rows by vectors of columns stays in registers while the common dimension runs; its start is the
// accumulator, evaluated in place, and its end goes to the result's buffer. Operands are read where they are when
// that is a plain load (rows of the right-hand side as vectors, elements of the left-hand side as scalars); anything
// else is packed into a buffer first: as words where the CPU multiplies groups of narrow numbers (DotStep.h), and else
// widened to the accumulator's type.
//
//===----------------------------------------------------------------------===//

#include "BlockWriter.h"

#include "DotStep.h"
#include "Nest.h"
#include "WordPacker.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Up to this cost an operand is worth computing anew for each tile.
constexpr int64_t kCheap = 8;

class Product {
public:
  Product(Kernel &kernel, linalg::LinalgOp op);
  void emit();

private:
  struct Operand {
    Value block;
    bool direct = false;
    Buffer packed;
    bool swapped = false; ///< the packed buffer's last two dimensions are the block's in the other order
    int64_t kDim;
  };
  void chooseStep();
  void prepare(Operand &operand, bool vectors);
  void pack(Operand &operand);
  void packGroups();
  void packCorrection();
  LaneValue read(const Operand &operand, SmallVector<LaneValue> where);
  Value narrow(Value value, Type element);
  SmallVector<LaneValue> columnsFrom(Value column);
  SmallVector<LaneValue> inBatch(ArrayRef<LaneValue> where);
  using LeftFn = function_ref<Value(int64_t row, LaneValue k)>;
  Values runCommon(Values start, ArrayRef<LaneValue> columnAt, LeftFn left);
  void assumeMasks(LaneValue k);
  void emitTile(Value row, Value column);
  void emitBatches(function_ref<void()> body);
  void emitLoops();
  template <typename BodyFn> void loop(int64_t size, int64_t step, BodyFn body);

  Kernel &kernel;
  linalg::LinalgOp op;
  int64_t rows, columns, depth;
  Type element; ///< of the accumulator in registers
  DotStep step;
  int64_t width, tileRows, tileVectors;
  LaneEmitter lanes;
  Evaluator evaluator;
  SmallVector<LaneValue> batch; ///< one index for a batched product
  Operand lhs, rhs;
  MaskBounds bounds; ///< of the common dimension
  SmallVector<std::pair<MaskBounds::Part, bool>> assumed;
  std::optional<Buffer> correction; ///< what the step adds to each column beyond the product
  Buffer result;
};

Type computeType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

int64_t vectorWidth(Kernel &kernel, Type element, int64_t columns) {
  return std::min<int64_t>(columns, std::max<int64_t>(1, kernel.options.vectorBits / element.getIntOrFloatBitWidth()));
}

Product::Product(Kernel &kernel, linalg::LinalgOp op)
    : kernel(kernel), op(op), element(computeType(getElementTypeOrSelf(op->getResult(0).getType()))), step(element),
      width(vectorWidth(kernel, element, cast<ShapedType>(op->getResult(0).getType()).getShape().back())),
      lanes(kernel.builder, op->getLoc(), width), evaluator(kernel, lanes) {
  ArrayRef<int64_t> shape = cast<ShapedType>(op->getResult(0).getType()).getShape();
  rows = shape[shape.size() - 2];
  columns = shape.back();
  lhs.block = op.getDpsInputOperand(0)->get();
  rhs.block = op.getDpsInputOperand(1)->get();
  depth = cast<ShapedType>(lhs.block.getType()).getShape().back();
  lhs.kDim = shape.size() - 1;
  rhs.kDim = shape.size() - 2;
  // As many accumulators as registers allow beside the operands.
  int64_t accumulators = kernel.options.vectorBits == 256 ? 8 : 16;
  tileVectors = std::min<int64_t>(columns / width, 4);
  tileRows = std::min<int64_t>(rows, accumulators / tileVectors);
}

/// Whether the block is a load that can be read tile by tile where it lies.
void Product::prepare(Operand &operand, bool vectors) {
  auto type = cast<RankedTensorType>(operand.block.getType());
  if (type.getElementType() != element)
    return pack(operand);
  if (kernel.getBuffer(operand.block)) {
    operand.direct = true;
    return;
  }
  auto map = operand.block.getDefiningOp<linalg::LinalgOp>();
  auto load = map ? dyn_cast<LoadOp>(map.getBlock()->front()) : LoadOp();
  if (!load || kernel.plan.getCost(operand.block) > kCheap)
    return pack(operand);
  int64_t lane = type.getRank() - 1;
  Strides strides = kernel.hints.getBodyStrides(map, load.getPtr());
  if (vectors && strides[lane] != LaneEmitter::bytes(element))
    return pack(operand);
  if (load.getMask()) {
    auto argument = dyn_cast<BlockArgument>(load.getMask());
    Value mask = argument ? getBodyOperand(map, argument) : Value();
    // A mask that is more than a bound of the common dimension costs a branch an element on the scalar side.
    TypedAttr outside = mask ? getOutside(operand.block, mask) : TypedAttr();
    auto zero = outside ? kernel.builder.getZeroAttr(element) : TypedAttr();
    if (!outside || outside != zero)
      return pack(operand);
    SmallVector<bool> allowed(type.getRank(), false);
    allowed[operand.kDim] = true;
    MaskBounds found = computeBounds(kernel, evaluator, mask, type.getShape(), allowed);
    bool whole = llvm::any_of(found.parts, [&](const auto &part) { return part.view.block == mask; });
    if (!whole && !vectors)
      return pack(operand);
    for (auto [into, from] : {std::pair(&bounds.lows[0], &found.lows[operand.kDim]),
                              std::pair(&bounds.highs[0], &found.highs[operand.kDim])})
      into->append(from->begin(), from->end());
    for (const MaskBounds::Part &part : found.parts)
      assumed.push_back({part, vectors});
  }
  operand.direct = true;
}

Value Product::narrow(Value value, Type to) {
  if (to == element)
    return value;
  OpBuilder &b = lanes.here();
  return arith::TruncFOp::create(b, op->getLoc(), VectorType::get(cast<VectorType>(value.getType()).getShape(), to),
                                 value);
}

/// Groups of factors a step, where the CPU and the extents allow.
void Product::chooseStep() {
  Type left = getElementTypeOrSelf(lhs.block.getType()), right = getElementTypeOrSelf(rhs.block.getType());
  if (left != right || columns % width != 0)
    return;
  DotStep packed = DotStep::choose(kernel.options, left, element, width);
  if (packed.group() == 1)
    return;
  if (canPackWords(kernel, lhs.block, lhs.kDim, packed.group()) &&
      canPackWords(kernel, rhs.block, rhs.kDim, packed.group()))
    step = packed;
}

/// Evaluates an operand into a buffer of the accumulator's type, along the dimension it is contiguous in.
void Product::pack(Operand &operand) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.block.getType()).getShape();
  operand.packed = kernel.allocate(op->getLoc(), shape, element);
  Unit unit{Unit::Kind::Nest};
  unit.shape.assign(shape.begin(), shape.end());
  unit.roots.push_back({Root::Kind::Write, nullptr, operand.block, operand.block, operand.packed});
  Nest(kernel, unit).emit();
}

/// Both sides as words. A word of the left side goes to all lanes, so either order of them does.
void Product::packGroups() {
  Location loc = op->getLoc();
  bool bias = step.isLeftUnsigned();
  PackedWords left = packWords(kernel, loc, lhs.block, lhs.kDim, step.group(), WordOrder::AsItLies,
                               /*flip=*/bias ? 0x80808080u : 0u);
  PackedWords right = packWords(kernel, loc, rhs.block, rhs.kDim, step.group(), WordOrder::CommonFirst, /*flip=*/0);
  lhs.packed = left.buffer;
  lhs.swapped = left.commonFirst;
  rhs.packed = right.buffer;
  depth /= step.group();
  if (bias)
    packCorrection();
}

/// 128 times the column sums of the right side, which is what the step makes of a left side of nothing but 128.
void Product::packCorrection() {
  Location loc = op->getLoc();
  lanes.at(0);
  SmallVector<int64_t> shape(cast<ShapedType>(op->getResult(0).getType()).getShape());
  shape.erase(shape.end() - 2);
  correction = kernel.allocate(loc, shape, element);
  emitBatches([&] {
    loop(columns, width * tileVectors, [&](Value column) {
      SmallVector<LaneValue> columnAt = columnsFrom(column);
      OpBuilder &b = lanes.at(0);
      auto constant = [&](uint32_t value) -> Value {
        auto type = VectorType::get({width}, b.getI32Type());
        return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(32, value)));
      };
      Value zero = constant(0), bias = constant(0x80808080u);
      Values sums = runCommon(Values(tileVectors, zero), columnAt, [&](int64_t, LaneValue) { return bias; });
      for (auto [at, sum] : llvm::zip(columnAt, sums))
        evaluator.writeBuffer(*correction, inBatch(at), lanes.wrap(sum, lanes.depth()), std::nullopt);
    });
  });
  lanes.at(0);
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

template <typename BodyFn> void Product::loop(int64_t size, int64_t step, BodyFn body) {
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, op->getLoc(), 0);
  if (size == step)
    return body(low);
  Value high = arith::ConstantIndexOp::create(b, op->getLoc(), size);
  Value stepValue = arith::ConstantIndexOp::create(b, op->getLoc(), step);
  auto emitted = scf::ForOp::create(b, op->getLoc(), low, high, stepValue);
  evaluator.enter(emitted.getBody());
  body(emitted.getInductionVar());
  evaluator.leave();
}

static Value offsetIndex(OpBuilder &b, Location loc, Value from, int64_t by) {
  if (by == 0)
    return from;
  Value constant = arith::ConstantIndexOp::create(b, loc, by);
  return arith::AddIOp::create(b, loc, from, constant);
}

SmallVector<LaneValue> Product::columnsFrom(Value column) {
  SmallVector<LaneValue> columnAt;
  for (int64_t v = 0; v < tileVectors; ++v)
    columnAt.push_back(
        {LaneValue::Kind::Strided, offsetIndex(lanes.here(), op->getLoc(), column, v * width), 1, lanes.depth()});
  return columnAt;
}

/// Only parts that depend on the common dimension alone are the same for a whole tile.
void Product::assumeMasks(LaneValue k) {
  for (const auto &[part, isRight] : assumed) {
    SmallVector<LaneValue> where;
    for (int loop : part.view.loops)
      where.push_back(loop == -1 ? lanes.constantIndex(0) : k);
    int shared = static_cast<int>(isRight ? rhs.kDim : lhs.kDim);
    bool alone = llvm::all_of(part.view.loops, [shared](int loop) { return loop == -1 || loop == shared; });
    if (alone)
      evaluator.assume(part.view.block, where,
                       lanes.uniform(arith::ConstantIntOp::create(lanes.at(0), op->getLoc(), 1, 1), lanes.depth()));
  }
}

/// The loop along the common dimension, for as many rows as there are accumulators; `left` gives a row's factor.
Values Product::runCommon(Values start, ArrayRef<LaneValue> columnAt, LeftFn left) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, depth);
  for (Value bound : bounds.lows[0])
    low = arith::MaxSIOp::create(b, loc, low, bound);
  for (Value bound : bounds.highs[0])
    high = arith::MinSIOp::create(b, loc, high, bound);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto common = scf::ForOp::create(b, loc, low, high, one, start);
  evaluator.enter(common.getBody());
  LaneValue k = lanes.uniform(common.getInductionVar(), lanes.depth());
  assumeMasks(k);
  Values rights, next;
  for (const LaneValue &at : columnAt)
    rights.push_back(lanes.vector(read(rhs, {k, at})));
  for (int64_t r = 0; next.size() < start.size(); ++r) {
    Value factor = left(r, k);
    for (Value right : rights)
      next.push_back(step.emit(lanes.here(), loc, factor, right, common.getRegionIterArg(next.size())));
  }
  scf::YieldOp::create(lanes.here(), loc, next);
  evaluator.leave();
  return Values(common.getResults());
}

void Product::emitTile(Value row, Value column) {
  Location loc = op->getLoc();
  SmallVector<LaneValue> rowAt, columnAt;
  for (int64_t r = 0; r < tileRows; ++r)
    rowAt.push_back(lanes.uniform(offsetIndex(lanes.here(), loc, row, r), lanes.depth()));
  columnAt = columnsFrom(column);

  Values start, surplus;
  if (correction)
    for (const LaneValue &at : columnAt)
      surplus.push_back(lanes.vector(evaluator.readBuffer(*correction, inBatch(at))));
  Value accumulator = op.getDpsInitOperand(0)->get();
  for (const LaneValue &r : rowAt)
    for (auto [v, at] : llvm::enumerate(columnAt)) {
      Value value = lanes.vector(lanes.extend(evaluator.get(accumulator, inBatch({r, at})), element));
      start.push_back(correction ? arith::SubIOp::create(lanes.here(), loc, value, surplus[v]) : value);
    }
  Values sums =
      runCommon(start, columnAt, [&](int64_t r, LaneValue k) { return lanes.vector(read(lhs, {rowAt[r], k})); });
  const Value *sum = sums.begin();
  for (const LaneValue &r : rowAt)
    for (const LaneValue &at : columnAt)
      evaluator.writeBuffer(result, inBatch({r, at}), lanes.wrap(narrow(*sum++, result.element), lanes.depth()),
                            std::nullopt);
}

void Product::emitBatches(function_ref<void()> body) {
  if (cast<ShapedType>(op->getResult(0).getType()).getRank() == 2)
    return body();
  loop(cast<ShapedType>(op->getResult(0).getType()).getDimSize(0), 1, [&](Value index) {
    batch = {lanes.uniform(index, lanes.depth())};
    body();
  });
}

void Product::emitLoops() {
  emitBatches([&] {
    loop(rows, tileRows,
         [&](Value row) { loop(columns, width * tileVectors, [&](Value column) { emitTile(row, column); }); });
  });
}

void Product::emit() {
  bounds.lows.resize(1);
  bounds.highs.resize(1);
  chooseStep();
  if (step.group() > 1) {
    packGroups();
  } else {
    prepare(lhs, /*vectors=*/false);
    prepare(rhs, /*vectors=*/true);
  }
  lanes.at(0);
  result = kernel.getOrAllocate(op->getResult(0));
  evaluator.emitVersioned([&](bool contiguous) {
    // Columns that wrap around would be gathered once a tile of rows; packed, they are gathered once.
    if (!contiguous && rhs.direct && !kernel.getBuffer(rhs.block)) {
      lanes.here();
      kernel.hasModulo = false;
      pack(rhs);
      kernel.hasModulo = true;
      rhs.direct = false;
    }
    emitLoops();
  });
  lanes.at(0);
}

} // namespace

void writeProduct(Kernel &kernel, linalg::LinalgOp op) { Product(kernel, op).emit(); }

} // namespace blockdsl
