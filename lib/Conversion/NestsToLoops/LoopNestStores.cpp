//===- LoopNestStores.cpp - Base addresses of a nest's stores ------------------===//
//
// A store across the border of two cache lines needs both at once. Rows whose length is no multiple of a cache line are
// full of them unless the vectors begin where the lines do; stores past the caches have to begin there.
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

/// Rows of fewer machine vectors gain less from aligned stores than the step before them costs.
static constexpr int64_t kVectorsWorthAligning = 16;
/// Bytes; a row that is known to begin at a multiple, as all rows of a matrix that was allocated as such, is let alone.
static constexpr int64_t kAlignedEnough = 16;

/// Where a store at `start` of the lanes goes, when its lanes are neighbors and it is all that `root` does.
std::optional<LaneValue> LoopNestEmitter::storeAddress(const FusionRoot &root, Value start, int64_t &size) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(root.op);
  auto store = generic ? dyn_cast<StoreOp>(generic.getBody()->front()) : StoreOp();
  if (!store)
    return std::nullopt;
  setPosition(shape.laneDim, start);
  LaneValue pointer;
  // Nothing but the address: what is loaded for it may lie beyond the block, and must not be used.
  elementEmitter.apart([&] { pointer = elementEmitter.getInBody(generic, store.getPtr(), position); });
  size = getByteSize(store.getValue().getType());
  if (!pointer.isStrided() || pointer.stride != size || pointer.exchange != 0)
    return std::nullopt;
  return pointer;
}

/// Whether every store of the nest starts a machine vector at `start`; null when streaming is not asked for or the
/// nest does more than store.
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

/// Makes the first step of a nest of stores so short that the others begin where machine vectors do in memory. Returns
/// where they begin.
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
