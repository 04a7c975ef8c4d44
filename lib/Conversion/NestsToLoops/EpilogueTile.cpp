//===- EpilogueTile.cpp - Nest of stores over one tile of a matmul -------------===//
//
// A tile of a matmul is stored as soon as it is complete, while it is in the L1 cache and overlapped with the next
// tile's multiply-adds, instead of in another pass over the block that waits for memory.
//
//===----------------------------------------------------------------------===//

#include "LoopNestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace blockdsl {

void LoopNestEmitter::emitTile(Value row, int64_t rows, Value column, int64_t columns) {
  llvm::SaveAndRestore versions(context.versions, unit.versions);
  isOfTile = true;
  shape.laneDim = 1;
  shape.lanes = columns;
  shape.order = {0, 1};
  shape.transposed = {};
  lanes.setLanes(columns);
  elementEmitter.emitVersioned([&](ElementEmitter::Version) {
    findBounds();
    emitTileRows(row, rows, column, columns);
    return Values();
  });
  lanes.at(0);
}

/// Emits a loop over the rows of a tile, each as one step with a lane for each column.
void LoopNestEmitter::emitTileRows(Value row, int64_t rows, Value column, int64_t columns) {
  Location loc = lanes.getLoc();
  auto offset = [&](Value from, int64_t by) -> Value {
    return arith::AddIOp::create(lanes.here(), loc, from, arith::ConstantIndexOp::create(lanes.here(), loc, by));
  };
  auto least = [&](Value one, Value other) -> Value {
    return other ? arith::MinSIOp::create(lanes.here(), loc, one, other) : one;
  };
  auto most = [&](Value one, Value other) -> Value {
    return other ? arith::MaxSIOp::create(lanes.here(), loc, one, other) : one;
  };
  auto body = [&](Values none) { return emitBody(std::move(none)); };
  Value low = most(row, bound(0, false)), high = least(offset(row, rows), bound(0, true));
  auto eachRow = [&](function_ref<void()> step) {
    countedLoop(0, low, high, 1, {}, [&](Values) {
      step();
      return Values();
    });
  };
  Value left = bound(1, false), right = bound(1, true);
  auto whole = [&] {
    setPosition(1, column);
    body({});
  };
  if (!left && !right)
    return eachRow(whole);
  Value end = offset(column, columns);
  Value first = most(column, left), last = least(end, right);
  Value length = arith::SubIOp::create(lanes.here(), loc, last, first);
  Value full = arith::ConstantIndexOp::create(lanes.here(), loc, columns);
  Value isWhole = arith::CmpIOp::create(lanes.here(), loc, arith::CmpIPredicate::eq, length, full);
  auto branch = scf::IfOp::create(lanes.here(), loc, isWhole, /*withElseRegion=*/true);
  elementEmitter.enter(branch.thenBlock());
  eachRow(whole);
  elementEmitter.leave();
  elementEmitter.enter(branch.elseBlock());
  Value isEmpty = arith::CmpIOp::create(lanes.here(), loc, arith::CmpIPredicate::sge, first, last);
  high = arith::SelectOp::create(lanes.here(), loc, isEmpty, low, high);
  first = left ? Value(arith::SubIOp::create(lanes.here(), loc, first, column)) : Value();
  last = arith::SubIOp::create(lanes.here(), loc, last, column);
  eachRow([&] { maskedStep(column, first, last, {}, body); });
  elementEmitter.leave();
}

} // namespace blockdsl
