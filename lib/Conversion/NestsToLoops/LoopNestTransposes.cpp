//===- LoopNestTransposes.cpp - Transposed accesses in registers -------------------===//
//
// Transposes blocks that are contiguous along another dimension than the lanes, instead of gathering them. The nest
// runs over that dimension in bands of some rows, and over each band in strips of as many lanes as a step has. For each
// strip the blocks are first computed along their contiguous dimension, square by square, and transposed into a buffer
// of the size of the strip. Then the nest runs over the strip's rows and reads the buffer.
//
//===----------------------------------------------------------------------===//

#include "LoopNestEmitter.h"
#include "Shuffles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {

/// Returns a test that the bounds of `dims` are those of the block; null if they have none.
Value LoopNestEmitter::coversBlock(ArrayRef<int> dims) {
  Location loc = lanes.getLoc();
  Value covers;
  auto require = [&](arith::CmpIPredicate predicate, Value limit, int64_t expected) {
    if (!limit)
      return;
    OpBuilder &b = lanes.here();
    Value constant = arith::ConstantIndexOp::create(b, loc, expected);
    Value holds = arith::CmpIOp::create(b, loc, predicate, limit, constant);
    covers = covers ? Value(arith::AndIOp::create(b, loc, covers, holds)) : holds;
  };
  for (int dim : dims) {
    require(arith::CmpIPredicate::sle, bound(dim, false), 0);
    require(arith::CmpIPredicate::sge, bound(dim, true), unit.shape[dim]);
  }
  return covers;
}

/// Emits the bands, in a version without bounds for a whole block: squares that may be cut clamp and mask each row.
void LoopNestEmitter::emitBands(int dim) {
  Location loc = lanes.getLoc();
  const TransposedAccess &access = shape.transposed;
  for (const View &view : access.blocks) {
    Type element = cast<RankedTensorType>(view.block.getType()).getElementType();
    transposed.push_back(context.allocate(loc, {access.rows, shape.lanes}, element));
  }
  int dims[] = {dim, shape.laneDim};
  if (Value covers = coversBlock(dims)) {
    auto branch = scf::IfOp::create(lanes.here(), loc, covers, /*withElseRegion=*/true);
    MaskBounds kept = bounds;
    for (int each : dims) {
      bounds.lows[each].clear();
      bounds.highs[each].clear();
    }
    elementEmitter.enter(branch.thenBlock());
    emitAllBands(dim);
    elementEmitter.leave();
    bounds = std::move(kept);
    elementEmitter.enter(branch.elseBlock());
    emitAllBands(dim);
    elementEmitter.leave();
  } else {
    emitAllBands(dim);
  }
  transposed.clear();
}

void LoopNestEmitter::emitAllBands(int dim) {
  Location loc = lanes.getLoc();
  const TransposedAccess &access = shape.transposed;
  Value low = bound(dim, false), high = bound(dim, true);
  bool isWhole = !low && !high && unit.shape[dim] % access.rows == 0;
  if (!low)
    low = arith::ConstantIndexOp::create(lanes.here(), loc, 0);
  if (!high)
    high = arith::ConstantIndexOp::create(lanes.here(), loc, unit.shape[dim]);
  countedLoop(dim, low, high, access.rows, {}, [&](Values) {
    Value first = position[dim].value;
    Value rows = arith::ConstantIndexOp::create(lanes.here(), loc, access.rows);
    Value end = arith::AddIOp::create(lanes.here(), loc, first, rows);
    if (!isWhole)
      end = arith::MinSIOp::create(lanes.here(), loc, end, high);
    loopOver(shape.laneDim, {}, false, [&](Values) {
      emitStrip(dim, first, end, isWhole);
      return Values();
    });
    return Values();
  });
}

/// Emits the strip of the rows from `first` to `end` and the current step of the lanes.
void LoopNestEmitter::emitStrip(int dim, Value first, Value end, bool isWhole) {
  Location loc = lanes.getLoc();
  auto emit = [&](Value left, Value last) {
    readAcross(first, end, left, last, isWhole);
    countedLoop(dim, first, end, 1, {}, [&](Values) {
      emitRow(first);
      return Values();
    });
  };
  if (!tailMask)
    return emit({}, {});
  // Reads are clamped to the bounds of the lanes, which must not be empty.
  Value low = bound(shape.laneDim, false), high = bound(shape.laneDim, true);
  OpBuilder &b = lanes.here();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value left = low ? low : arith::ConstantIndexOp::create(b, loc, 0);
  Value right = high ? high : arith::ConstantIndexOp::create(b, loc, unit.shape[shape.laneDim]);
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, left, right);
  Value last = arith::SubIOp::create(b, loc, right, one);
  auto branch = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  elementEmitter.enter(branch.thenBlock());
  emit(low, last);
  elementEmitter.leave();
}

/// Fills the buffers of a strip. `left` and `last`, unless null, are the first and the last lane within the bounds.
void LoopNestEmitter::readAcross(Value first, Value end, Value left, Value last, bool isWhole) {
  Location loc = lanes.getLoc();
  int64_t square = shape.transposed.square, count = lanes.getLanes();
  LaneValue start = position[shape.laneDim];
  unsigned startLevel = dimLevel[shape.laneDim];
  NestConfig strip = shape;
  std::optional<LaneValue> mask = std::exchange(tailMask, std::nullopt), kept = lanes.restrictTo(std::nullopt);
  bool anywhere = std::exchange(startsAnywhere, true);
  shape.laneDim = strip.transposed.dim;
  shape.lanes = shape.machineLanes = square;
  lanes.setLanes(square);
  auto alongRows = [&](Value lane) {
    auto body = [&](Values) {
      Value row = arith::SubIOp::create(lanes.here(), loc, position[shape.laneDim].value, first);
      readSquare(strip.laneDim, row, start.value, lane, left, last);
      return Values();
    };
    if (isWhole && square == shape.transposed.rows) {
      setPosition(shape.laneDim, first);
      body({});
    } else if (isWhole) {
      countedLoop(shape.laneDim, first, end, square, {}, body);
    } else if (context.options.vectorBits == 512) {
      // Masks are free with AVX-512, and separate code for whole squares would cost compile time.
      countedLoop(shape.laneDim, first, end, square, {}, [&](Values) {
        Value at = position[shape.laneDim].value;
        return maskedStep(at, {}, arith::SubIOp::create(lanes.here(), loc, end, at), {}, body, /*overruns=*/true);
      });
    } else {
      OpBuilder &b = lanes.here();
      Value length = arith::SubIOp::create(b, loc, end, first);
      Value rest = arith::RemUIOp::create(b, loc, length, arith::ConstantIndexOp::create(b, loc, square));
      Value wholeEnd = arith::SubIOp::create(b, loc, end, rest);
      countedLoop(shape.laneDim, first, wholeEnd, square, {}, body);
      lastLanes(wholeEnd, end, {}, body);
    }
  };
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(lanes.here(), loc, value); };
  if (count == square) {
    alongRows(constant(0));
  } else {
    // Squares on the same cache lines are adjacent iterations: lines at a distance of pages conflict in the cache.
    Value low = constant(0), high = constant(count), step = constant(square);
    auto loop = scf::ForOp::create(lanes.here(), loc, low, high, step);
    elementEmitter.enter(loop.getBody());
    alongRows(loop.getInductionVar());
    elementEmitter.leave();
  }
  shape = std::move(strip);
  position[shape.laneDim] = start;
  dimLevel[shape.laneDim] = startLevel; // the squares' loops are closed
  tailMask = mask;
  lanes.restrictTo(kept);
  startsAnywhere = anywhere;
  lanes.setLanes(count);
}

/// Computes a square of each block along its contiguous dimension and stores its transpose at `row` and `lane` of the
/// strip's buffers. `from`: the first index of the strip along `across`, the dimension of the lanes.
void LoopNestEmitter::readSquare(int across, Value row, Value from, Value lane, Value left, Value last) {
  Location loc = lanes.getLoc();
  SmallVector<Vectors, 1> squares(shape.transposed.blocks.size());
  for (int64_t number : llvm::seq(shape.transposed.square)) {
    OpBuilder &b = lanes.here();
    Value at = arith::AddIOp::create(b, loc, from, lane);
    at = arith::AddIOp::create(b, loc, at, arith::ConstantIndexOp::create(b, loc, number));
    // Clamped: out of bounds there may be no memory.
    if (left)
      at = arith::MaxSIOp::create(b, loc, at, left);
    if (last)
      at = arith::MinSIOp::create(b, loc, at, last);
    setPosition(across, at);
    assumeMask();
    for (auto [view, square] : llvm::zip(shape.transposed.blocks, squares)) {
      Type element = cast<RankedTensorType>(view.block.getType()).getElementType();
      Value value = lanes.vector(lanes.toMemory(elementEmitter.get(view.block, positionOf(view)), element));
      auto type = cast<VectorType>(value.getType());
      if (isa<FloatType>(type.getElementType())) {
        Type bits = lanes.here().getIntegerType(type.getElementTypeBitWidth());
        value = arith::BitcastOp::create(lanes.here(), loc, type.clone(bits), value);
      }
      square.push_back(value);
    }
  }
  for (auto [buffer, square] : llvm::zip(transposed, squares))
    for (auto [number, vector] : llvm::enumerate(transpose(lanes.here(), loc, std::move(square)))) {
      Value by = arith::ConstantIndexOp::create(lanes.here(), loc, number);
      Value here = arith::AddIOp::create(lanes.here(), loc, row, by);
      LaneValue where[] = {lanes.uniform(here, lanes.depth()), lanes.uniform(lane, lanes.depth())};
      Value pointer = elementEmitter.addressOf(buffer, where).value;
      LLVM::StoreOp::create(lanes.here(), loc, vector, pointer, getByteSize(buffer.element));
    }
}

/// Emits the nest's body for a row of a strip that starts with the row `first`.
void LoopNestEmitter::emitRow(Value first) {
  Location loc = lanes.getLoc();
  Value row = arith::SubIOp::create(lanes.here(), loc, position[shape.transposed.dim].value, first);
  LaneValue lane{LaneValue::Kind::Strided, lanes.constantIndex(0).value, 1};
  LaneValue where[] = {lanes.uniform(row, lanes.depth()), lane};
  std::optional<LaneValue> kept = lanes.restrictTo(std::nullopt);
  for (auto [view, buffer] : llvm::zip(shape.transposed.blocks, transposed))
    elementEmitter.assume(view.block, positionOf(view), elementEmitter.readBuffer(buffer, where));
  LaneValue start = position[shape.laneDim];
  Value aligned = tailMask ? Value() : isAligned(start.value);
  position[shape.laneDim] = start;
  if (!aligned) {
    // In lanes out of bounds the strip holds elements, including masks, of other lanes.
    lanes.restrictTo(tailMask);
    emitBody({});
    lanes.restrictTo(kept);
    return;
  }
  auto branch = scf::IfOp::create(lanes.here(), loc, aligned, /*withElseRegion=*/true);
  for (bool stream : {true, false}) {
    streaming = stream;
    elementEmitter.enter(stream ? branch.thenBlock() : branch.elseBlock());
    emitBody({});
    elementEmitter.leave();
    streaming = false;
  }
}

} // namespace blockdsl
