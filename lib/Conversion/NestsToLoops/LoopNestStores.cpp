//===- LoopNestStores.cpp - Alignment of a nest's stores -----------------------===//

#include "LoopNestEmitter.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {

/// Returns the address, an i64, of the store of `root` at lane index `start`, and the size of an element. The address
/// is null if the lanes are not contiguous in the version that is emitted.
std::pair<Value, int64_t> LoopNestEmitter::storeAddress(const FusionRoot &root, Value start) {
  auto generic = cast<linalg::GenericOp>(root.op);
  auto store = cast<StoreOp>(generic.getBody()->front());
  int64_t size = getByteSize(store.getValue().getType());
  setPosition(shape.laneDim, start);
  LaneValue pointer;
  // Isolated, because loads that the address depends on may be beyond the block and must not be used again.
  elementEmitter.runIsolated([&] { pointer = elementEmitter.getInBody(generic, store.getPtr(), position); });
  if (!pointer.isStrided() || pointer.stride != size || pointer.exchange != 0)
    return {Value(), size};
  OpBuilder &b = lanes.here();
  return {LLVM::PtrToIntOp::create(b, lanes.getLoc(), b.getI64Type(), pointer.value), size};
}

/// Emits a test that every store of the nest is aligned to machine vectors at `start`; returns null without streaming
/// stores.
Value LoopNestEmitter::isAligned(Value start) {
  if (!unit.stores.stream)
    return {};
  Location loc = lanes.getLoc();
  Value aligned;
  for (const FusionRoot &root : unit.roots) {
    Value address = storeAddress(root, start).first;
    if (!address)
      return {};
    OpBuilder &b = lanes.here();
    Value low = arith::ConstantIntOp::create(b, loc, context.options.vectorBits / 8 - 1, 64);
    Value bits = arith::AndIOp::create(b, loc, address, low);
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, zero);
    aligned = aligned ? Value(arith::AndIOp::create(b, loc, aligned, here)) : here;
  }
  return aligned;
}

/// Emits a shorter first step, if the plan has one, so that the first store of the other steps is aligned to machine
/// vectors. Returns the index where these start.
Value LoopNestEmitter::alignStores(Value start, Value end, Body body) {
  if (!unit.stores.align)
    return start;
  auto [address, size] = storeAddress(unit.roots.front(), start);
  if (!address)
    return start;
  Location loc = lanes.getLoc();
  OpBuilder &b = lanes.here();
  int64_t width = size * shape.machineLanes;
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  Value missing = arith::SubIOp::create(b, loc, zero, address);
  missing = arith::AndIOp::create(b, loc, missing, arith::ConstantIntOp::create(b, loc, width - 1, 64));
  missing = arith::ShRUIOp::create(b, loc, missing, arith::ConstantIntOp::create(b, loc, llvm::Log2_64(size), 64));
  Value elements = arith::IndexCastOp::create(b, loc, b.getIndexType(), missing);
  Value begin = arith::AddIOp::create(b, loc, start, elements);
  begin = arith::MinSIOp::create(b, loc, begin, end);
  lanes.setLanes(shape.machineLanes);
  lastLanes(start, begin, {}, body);
  lanes.setLanes(shape.lanes);
  startsAnywhere = true;
  return begin;
}

} // namespace blockdsl
