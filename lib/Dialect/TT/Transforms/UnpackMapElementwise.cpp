//===- UnpackMapElementwise.cpp - tt.map_elementwise on single elements ---===//
//
// A region that takes `pack` neighbors of each operand takes one element of each of `pack` blocks instead. Block k has
// the elements whose index modulo `pack` is k. The region is unchanged, because its arguments already have that order.
//
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_UNPACKMAPELEMENTWISEPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

/// Returns the block type with its last dimension divided by `count`, followed by the dimensions `more`.
static RankedTensorType divideLast(RankedTensorType type, int64_t count, ArrayRef<int64_t> more = {}) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= count;
  shape.append(more.begin(), more.end());
  return RankedTensorType::get(shape, type.getElementType());
}

/// Splits `block` into `pack` blocks. Block k has the elements whose index modulo `pack` is k. `pack` is a power of
/// two, because it divides an extent.
static SmallVector<Value> deinterleave(ImplicitLocOpBuilder &b, Value block, int64_t pack) {
  if (pack == 1)
    return {block};
  auto type = cast<RankedTensorType>(block.getType());
  Value pairs = ReshapeOp::create(b, divideLast(type, 2, {2}), block, /*allow_reorder=*/false,
                                  /*efficient_layout=*/false);
  auto halves = SplitOp::create(b, pairs);
  SmallVector<Value> even = deinterleave(b, halves.getOutLHS(), pack / 2),
                     odd = deinterleave(b, halves.getOutRHS(), pack / 2);
  SmallVector<Value> parts;
  for (auto [first, second] : llvm::zip_equal(even, odd))
    parts.append({first, second});
  return parts;
}

/// Interleaves blocks: the inverse of `deinterleave`.
static Value interleave(ImplicitLocOpBuilder &b, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<Value> even, odd;
  for (auto [index, part] : llvm::enumerate(parts))
    (index % 2 == 0 ? even : odd).push_back(part);
  Value first = interleave(b, even), second = interleave(b, odd);
  auto half = cast<RankedTensorType>(first.getType());
  Value pairs = JoinOp::create(b, first, second);
  SmallVector<int64_t> shape(half.getShape());
  shape.back() *= 2;
  return ReshapeOp::create(b, RankedTensorType::get(shape, half.getElementType()), pairs, /*allow_reorder=*/false,
                           /*efficient_layout=*/false);
}

static void unpack(MapElementwiseOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t pack = op.getPack();
  SmallVector<Value> operands;
  for (Value block : op.getSrcs())
    operands.append(deinterleave(b, block, pack));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.append(pack, divideLast(cast<RankedTensorType>(type), pack));
  auto unpacked = MapElementwiseOp::create(b, types, operands, /*pack=*/1);
  unpacked.getScalarOp().takeBody(op.getScalarOp());
  SmallVector<Value> results(unpacked.getResults());
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    result.replaceAllUsesWith(interleave(b, ArrayRef(results).slice(index * pack, pack)));
  op.erase();
}

namespace {
struct UnpackMapElementwisePass : impl::UnpackMapElementwisePassBase<UnpackMapElementwisePass> {
  void runOnOperation() override {
    SmallVector<MapElementwiseOp> packed;
    getOperation()->walk([&](MapElementwiseOp op) {
      if (op.getPack() != 1)
        packed.push_back(op);
    });
    for (MapElementwiseOp op : packed)
      unpack(op);
  }
};
} // namespace
} // namespace blockdsl
