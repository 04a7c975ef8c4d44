//===- LoopNestStores.cpp - Alignment of a nest's stores -----------------------===//
//
// A store that crosses a cache line is slow. In rows whose length is not a multiple of a cache line many stores do,
// unless a shorter first step aligns the vectors. Streaming stores have to be aligned.
//
//===----------------------------------------------------------------------===//

#include "LoopNestEmitter.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {

/// Shorter rows gain less from aligned stores than the additional step costs.
static constexpr int64_t kVectorsWorthAligning = 16;
/// Bytes. Rows that are known to have this alignment, as in most allocated matrices, are not aligned further.
static constexpr int64_t kAlignedEnough = 16;

/// Returns the address of the store at lane index `start`, if `root` starts with a store and its lanes are contiguous.
std::optional<LaneValue> LoopNestEmitter::storeAddress(const FusionRoot &root, Value start, int64_t &size) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(root.op);
  auto store = generic ? dyn_cast<StoreOp>(generic.getBody()->front()) : StoreOp();
  if (!store)
    return std::nullopt;
  setPosition(shape.laneDim, start);
  LaneValue pointer;
  // Isolated, because loads that the address depends on may be beyond the block and must not be used again.
  elementEmitter.runIsolated([&] { pointer = elementEmitter.getInBody(generic, store.getPtr(), position); });
  size = getByteSize(store.getValue().getType());
  if (!pointer.isStrided() || pointer.stride != size || pointer.exchange != 0)
    return std::nullopt;
  return pointer;
}

/// Emits a test that every store of the nest is aligned to machine vectors at `start`; returns null without streaming
/// stores, or if the nest does more than store.
Value LoopNestEmitter::isAligned(Value start) {
  if (!context.options.streamingStores)
    return {};
  Location loc = lanes.getLoc();
  int64_t width = context.options.vectorBits / 8, size = 0;
  Value aligned;
  for (const FusionRoot &root : unit.roots) {
    std::optional<LaneValue> pointer = storeAddress(root, start, size);
    if (!pointer || (size * shape.lanes) % width != 0)
      return {};
    OpBuilder &b = lanes.here();
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer->value);
    Value low = arith::ConstantIntOp::create(b, loc, width - 1, 64);
    Value bits = arith::AndIOp::create(b, loc, address, low);
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, zero);
    aligned = aligned ? Value(arith::AndIOp::create(b, loc, aligned, here)) : here;
  }
  return aligned;
}

/// Emits a shorter first step of a nest of stores, so that the other steps are aligned to machine vectors. Returns the
/// index where these start.
Value LoopNestEmitter::alignStores(Value start, Value end, Body body) {
  int64_t size = 0;
  if (unit.shape[shape.laneDim] < kVectorsWorthAligning * shape.machineLanes)
    return start;
  std::optional<LaneValue> pointer;
  for (const FusionRoot &root : llvm::reverse(unit.roots))
    if (!(pointer = storeAddress(root, start, size)))
      return start;
  int64_t width = size * shape.machineLanes;
  if (!llvm::isPowerOf2_64(width) || knownAlignment(pointer->value) >= kAlignedEnough)
    return start;
  Location loc = lanes.getLoc();
  OpBuilder &b = lanes.here();
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer->value);
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
