//===- Product.cpp - Matrix products as register tiles ---------------------===//
//
// A tile of rows by vectors of columns stays in registers while the common dimension runs; its start is the
// accumulator, evaluated in place, and its end goes to the result's buffer. Operands are read where they are when
// that is a plain load (rows of the right-hand side as vectors, elements of the left-hand side as scalars); anything
// else, and everything narrower than the accumulator, is packed into a buffer first.
//
//===----------------------------------------------------------------------===//

#include "BlockWriter.h"

#include "Nest.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
    int64_t kDim;
  };
  void prepare(Operand &operand, bool vectors);
  void pack(Operand &operand);
  LaneValue read(const Operand &operand, SmallVector<LaneValue> where);
  Value narrow(Value value, Type element);
  void emitTile(Value row, Value column);
  void emitLoops();
  template <typename BodyFn> void loop(int64_t size, int64_t step, BodyFn body);

  Kernel &kernel;
  linalg::LinalgOp op;
  int64_t rows, columns, depth;
  Type element; ///< of the accumulator in registers
  int64_t width, tileRows, tileVectors;
  LaneEmitter lanes;
  Evaluator evaluator;
  SmallVector<LaneValue> batch; ///< one index for a batched product
  Operand lhs, rhs;
  MaskBounds bounds; ///< of the common dimension
  SmallVector<std::pair<MaskBounds::Part, bool>> assumed;
  Buffer result;
};

Type computeType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

int64_t vectorWidth(Kernel &kernel, Type element, int64_t columns) {
  return std::min<int64_t>(columns, std::max<int64_t>(1, kernel.options.vectorBits / element.getIntOrFloatBitWidth()));
}

Product::Product(Kernel &kernel, linalg::LinalgOp op)
    : kernel(kernel), op(op), element(computeType(getElementTypeOrSelf(op->getResult(0).getType()))),
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

/// Evaluates an operand into a buffer of the accumulator's type, along the dimension it is contiguous in.
void Product::pack(Operand &operand) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.block.getType()).getShape();
  operand.packed = kernel.allocate(op->getLoc(), shape, element);
  Unit unit{Unit::Kind::Nest};
  unit.shape.assign(shape.begin(), shape.end());
  unit.roots.push_back({Root::Kind::Write, nullptr, operand.block, operand.block, operand.packed});
  Nest(kernel, unit).emit();
}

LaneValue Product::read(const Operand &operand, SmallVector<LaneValue> where) {
  where.insert(where.begin(), batch.begin(), batch.end());
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

void Product::emitTile(Value row, Value column) {
  Location loc = op->getLoc();
  unsigned level = lanes.depth();
  auto offset = [&](Value from, int64_t by) -> Value {
    if (by == 0)
      return from;
    OpBuilder &b = lanes.here();
    Value constant = arith::ConstantIndexOp::create(b, loc, by);
    return arith::AddIOp::create(b, loc, from, constant);
  };
  SmallVector<LaneValue> rowAt, columnAt;
  for (int64_t r = 0; r < tileRows; ++r)
    rowAt.push_back(lanes.uniform(offset(row, r), level));
  for (int64_t v = 0; v < tileVectors; ++v)
    columnAt.push_back({LaneValue::Kind::Strided, offset(column, v * width), 1, level});

  auto place = [&](int64_t r, int64_t v) {
    SmallVector<LaneValue> where(batch);
    where.push_back(rowAt[r]);
    where.push_back(columnAt[v]);
    return where;
  };
  Values start;
  Value accumulator = op.getDpsInitOperand(0)->get();
  for (int64_t r = 0; r < tileRows; ++r)
    for (int64_t v = 0; v < tileVectors; ++v)
      start.push_back(lanes.vector(lanes.extend(evaluator.get(accumulator, place(r, v)), element)));

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
  for (const auto &[part, isRight] : assumed) {
    SmallVector<LaneValue> where;
    for (auto [dim, loop] : llvm::enumerate(part.view.loops))
      where.push_back(loop == -1 ? lanes.constantIndex(0) : k);
    // Only parts that depend on the common dimension alone are the same for a whole tile.
    int shared = static_cast<int>(isRight ? rhs.kDim : lhs.kDim);
    bool alone = llvm::all_of(part.view.loops, [shared](int loop) { return loop == -1 || loop == shared; });
    if (alone)
      evaluator.assume(part.view.block, where,
                       lanes.uniform(arith::ConstantIntOp::create(lanes.at(0), loc, 1, 1), lanes.depth()));
  }
  Values rights, next;
  for (int64_t v = 0; v < tileVectors; ++v)
    rights.push_back(lanes.vector(read(rhs, {k, columnAt[v]})));
  for (int64_t r = 0; r < tileRows; ++r) {
    LaneValue left = read(lhs, {rowAt[r], k});
    Value splat = lanes.vector(left);
    for (int64_t v = 0; v < tileVectors; ++v) {
      Value acc = common.getRegionIterArg(r * tileVectors + v);
      OpBuilder &inner = lanes.here();
      if (isa<FloatType>(element)) {
        next.push_back(math::FmaOp::create(inner, loc, splat, rights[v], acc));
      } else {
        Value product = arith::MulIOp::create(inner, loc, splat, rights[v]);
        next.push_back(arith::AddIOp::create(inner, loc, product, acc));
      }
    }
  }
  scf::YieldOp::create(lanes.here(), loc, next);
  evaluator.leave();
  for (int64_t r = 0; r < tileRows; ++r)
    for (int64_t v = 0; v < tileVectors; ++v) {
      Value value = narrow(common.getResult(r * tileVectors + v), result.element);
      evaluator.writeBuffer(result, place(r, v), lanes.wrap(value, lanes.depth()), std::nullopt);
    }
}

void Product::emitLoops() {
  auto tiles = [&] {
    loop(rows, tileRows,
         [&](Value row) { loop(columns, width * tileVectors, [&](Value column) { emitTile(row, column); }); });
  };
  if (cast<ShapedType>(op->getResult(0).getType()).getRank() == 2)
    return tiles();
  loop(cast<ShapedType>(op->getResult(0).getType()).getDimSize(0), 1, [&](Value index) {
    batch = {lanes.uniform(index, lanes.depth())};
    tiles();
  });
}

void Product::emit() {
  bounds.lows.resize(1);
  bounds.highs.resize(1);
  prepare(lhs, /*vectors=*/false);
  prepare(rhs, /*vectors=*/true);
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
