//===- MatmulRows.cpp - Rows of a matmul that are read in place ------------===//
//
// Tiles read the left side by rows: AMX as 16 rows of 64 bytes at a constant distance, other instructions word by word.
// If the rows have a constant distance in memory, they need not be packed. This is tested at run time, once for each
// iteration.
//
//===----------------------------------------------------------------------===//

#include "MatmulEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace blockdsl {
namespace {

/// Emits the test of the rows of one operand.
class RowFinder {
public:
  RowFinder(EmissionContext &context, Location loc, const MatmulOperand &operand)
      : context(context), loc(loc), operand(operand), shape(cast<RankedTensorType>(operand.block.getType()).getShape()),
        lanes(context.builder, loc, std::min(kMostLanes, shape[1 - operand.common])), elementEmitter(context, lanes) {}

  static constexpr int64_t kMostLanes = 16;

  /// Returns whether the rows can be read in place, and their address and distance in bytes as integers of 64 bits.
  Values emit() {
    return elementEmitter.emitVersioned([&](ElementEmitter::Version version) {
      Value found = version == ElementEmitter::Version::NoWrap ? isUnmasked() : Value();
      if (found)
        return test(found);
      Value zero = arith::ConstantIntOp::create(lanes.here(), loc, 0, 64);
      return Values{arith::ConstantIntOp::create(lanes.here(), loc, 0, 1), zero, zero};
    });
  }

private:
  Value isUnmasked();
  Values test(Value found);
  Value addressAt(LaneValue row, int64_t along);
  void require(Value &found, Value condition) { found = arith::AndIOp::create(lanes.here(), loc, found, condition); }
  Value constant(int64_t value) { return arith::ConstantIntOp::create(lanes.here(), loc, value, 64); }

  EmissionContext &context;
  Location loc;
  const MatmulOperand &operand;
  ArrayRef<int64_t> shape;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
};

/// Emits a test that the load's mask is true everywhere; returns null if the mask is not an interval of indices.
Value RowFinder::isUnmasked() {
  Value found = arith::ConstantIntOp::create(lanes.here(), loc, 1, 1);
  LoadOp load = operand.load;
  if (!load.getMask())
    return found;
  linalg::LinalgOp map = operand.map;
  Value mask = getBodyOperand(map, cast<BlockArgument>(load.getMask()));
  if (!mask)
    return {};
  SmallVector<bool> allowed(shape.size(), true);
  MaskBounds bounds = computeBounds(context, elementEmitter, mask, shape, allowed);
  if (llvm::none_of(bounds.parts, [&](const MaskPart &part) { return part.view.block == mask; }))
    return {};
  using P = arith::CmpIPredicate;
  for (unsigned dim = 0; dim != shape.size(); ++dim) {
    Value first = arith::ConstantIndexOp::create(lanes.here(), loc, 0);
    Value end = arith::ConstantIndexOp::create(lanes.here(), loc, shape[dim]);
    for (Value low : bounds.lows[dim])
      require(found, arith::CmpIOp::create(lanes.here(), loc, P::sle, low, first));
    for (Value high : bounds.highs[dim])
      require(found, arith::CmpIOp::create(lanes.here(), loc, P::sge, high, end));
  }
  return found;
}

/// Returns the address, or a vector of addresses, as i64.
Value RowFinder::addressAt(LaneValue row, int64_t along) {
  SmallVector<LaneValue> where(shape.size());
  where[operand.common] = lanes.constantIndex(along);
  where[1 - operand.common] = row;
  LoadOp load = operand.load;
  LaneValue pointer = elementEmitter.getInBody(operand.map, load.getPtr(), where);
  Type wide = context.builder.getI64Type();
  Value value = row.isUniform() ? pointer.value : lanes.vector(pointer);
  if (!row.isUniform())
    wide = VectorType::get({lanes.getLanes()}, wide);
  return LLVM::PtrToIntOp::create(lanes.here(), loc, wide, value);
}

/// Emits the test that the starts of all rows have a constant distance. Within a row addresses are consecutive unless a
/// number wraps, which shows at the end of the first or the last row.
Values RowFinder::test(Value found) {
  using P = arith::CmpIPredicate;
  int64_t rows = shape[1 - operand.common], extent = shape[operand.common], count = lanes.getLanes();
  Value first = addressAt(lanes.constantIndex(0), 0);
  if (rows == 1)
    return {found, first, constant(0)};
  Value second = addressAt(lanes.constantIndex(1), 0);
  Value pitch = arith::SubIOp::create(lanes.here(), loc, second, first);
  SmallVector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = VectorType::get({count}, context.builder.getI64Type());
  auto splat = [&](Value value) -> Value { return vector::BroadcastOp::create(lanes.here(), loc, type, value); };
  Value steps = arith::ConstantOp::create(lanes.here(), loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value distances = arith::MulIOp::create(lanes.here(), loc, steps, splat(pitch));
  for (int64_t row = 0; row < rows; row += count) {
    LaneValue from = lanes.constantIndex(row);
    Value actual = addressAt({LaneValue::Kind::Strided, from.value, 1, lanes.depth()}, 0);
    Value start = arith::MulIOp::create(lanes.here(), loc, pitch, constant(row));
    start = arith::AddIOp::create(lanes.here(), loc, start, first);
    Value expected = arith::AddIOp::create(lanes.here(), loc, distances, splat(start));
    Value same = arith::CmpIOp::create(lanes.here(), loc, P::eq, actual, expected);
    require(found, vector::ReductionOp::create(lanes.here(), loc, vector::CombiningKind::AND, same));
  }
  int64_t size = getByteSize(LoadOp(operand.load).getType());
  for (int64_t row : {int64_t(0), rows - 1}) {
    Value from = addressAt(lanes.constantIndex(row), 0), to = addressAt(lanes.constantIndex(row), extent - 1);
    Value distance = arith::SubIOp::create(lanes.here(), loc, to, from);
    require(found, arith::CmpIOp::create(lanes.here(), loc, P::eq, distance, constant(size * (extent - 1))));
  }
  return {found, first, pitch};
}

} // namespace

void MatmulEmitter::storeRows(Value iteration, Value address, Value pitch) {
  LaneEmitter here(context.builder, op->getLoc(), /*lanes=*/1);
  ElementEmitter writer(context, here);
  LaneValue at = here.uniform(iteration);
  Value number = address;
  for (int64_t index = 0; index <= countRowOffsets(); ++index) {
    writer.writeBuffer(*rowsInMemory, {at, here.constantIndex(index)}, here.uniform(number), std::nullopt);
    number = index == 0 ? pitch : arith::AddIOp::create(here.here(), op->getLoc(), number, pitch);
  }
}

/// Stores the address and distance of the rows of an iteration, which are in memory or packed in a buffer.
void MatmulEmitter::packOrFindRows(Value iteration) {
  Location loc = op->getLoc();
  OpBuilder &b = context.builder;
  Values found = RowFinder(context, loc, lhs.plan).emit();
  auto branch = scf::IfOp::create(b, loc, found[0], /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  storeRows(iteration, found[1], found[2]);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  packIteration(lhs, {iteration, partsOf(plan.iterations)});
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  Buffer packed = context.getPart(loc, lhs.packed, iteration);
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), packed.pointer);
  int64_t pitch = packed.pitch() * getByteSize(packed.element);
  storeRows(iteration, address, arith::ConstantIntOp::create(b, loc, pitch, 64));
}

/// Returns the number of row offsets that a tile needs. AMX needs the distance of neighbors only, and the offsets of
/// more than eight rows would not fit the registers.
int64_t MatmulEmitter::countRowOffsets() const {
  return plan.amx || plan.tileRows > kMostRowOffsets ? 1 : std::max<int64_t>(plan.tileRows - 1, 1);
}

/// Returns the address of word `k` in row `down` of the tile that starts at `row`.
Value MatmulEmitter::addressInRows(Value row, Value k, int64_t down) {
  Location loc = op->getLoc();
  OpBuilder &b = lanes.here();
  Type i64 = b.getI64Type();
  constexpr int64_t kWordBytes = 4;
  Value number = arith::IndexCastOp::create(b, loc, i64, offsetIndex(b, loc, row, down));
  Value within = arith::IndexCastOp::create(b, loc, i64, k);
  within = arith::MulIOp::create(b, loc, within, arith::ConstantIntOp::create(b, loc, kWordBytes, 64));
  Value pitch = rowOffsets.front();
  Value address = arith::AddIOp::create(b, loc, leftRows, arith::MulIOp::create(b, loc, number, pitch));
  address = arith::AddIOp::create(b, loc, address, within);
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// Returns the same address, if possible as an offset from that of the tile's first row.
Value MatmulEmitter::pointerInRows(Value row, Value k, int64_t down) {
  bool hasOffset = down != 0 && down <= countRowOffsets();
  Value address = addressInRows(row, k, hasOffset ? 0 : down);
  if (!hasOffset)
    return address;
  OpBuilder &b = lanes.here();
  return LLVM::GEPOp::create(b, op->getLoc(), address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{rowOffsets[down - 1]});
}

TileInMemory MatmulEmitter::tileInRows(Value row, Value k, int64_t down) {
  return {addressInRows(row, k, down), rowOffsets.front()};
}

} // namespace blockdsl
