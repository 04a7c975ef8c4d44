//===- PadProducts.cpp - Padding of the inner dimension of dots -*- C++ -*-===//
// Zeros are interleaved, not appended, because `tt.join` combines the elements of two blocks in pairs.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_PADPRODUCTSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns the least inner dimension of a dot in a version of Triton.
static int64_t leastDepth(DotOp op, TTVersion version) {
  Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
  if (element.isF32() && op.getInputPrecision() == InputPrecision::IEEE)
    return 1;
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 8 || version >= TTVersion::V3_8 ? 256 / bits : 16;
}

/// Doubles a dimension: each element is followed by a zero.
static Value interleaveZeros(OpBuilder &b, Location loc, Value block, int64_t dimension) {
  auto type = cast<RankedTensorType>(block.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] *= 2;
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value pairs = JoinOp::create(b, loc, block, zeros);
  // Moves the dimension of pairs from the end to behind `dimension`.
  auto order = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank() + 1));
  std::rotate(order.begin() + dimension + 1, order.end() - 1, order.end());
  pairs = TransOp::create(b, loc, pairs, b.getDenseI32ArrayAttr(order));
  return ReshapeOp::create(b, loc, type.clone(shape), pairs, /*allow_reorder=*/false, /*efficient_layout=*/false);
}

static void deepen(DotOp op, int64_t depth) {
  OpBuilder b(op);
  Value lhs = op.getA(), rhs = op.getB();
  int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
  for (int64_t current = cast<RankedTensorType>(lhs.getType()).getShape().back(); current < depth; current *= 2) {
    lhs = interleaveZeros(b, op.getLoc(), lhs, rank - 1);
    rhs = interleaveZeros(b, op.getLoc(), rhs, rank - 2);
  }
  op.getAMutable().assign(lhs);
  op.getBMutable().assign(rhs);
}

namespace {
struct PadProducts : blockdsl::impl::PadProductsPassBase<PadProducts> {
  using PadProductsPassBase::PadProductsPassBase;

  void runOnOperation() override {
    std::optional<TTVersion> known = parseTTVersion(version, getOperation());
    if (!known)
      return signalPassFailure();
    getOperation()->walk([&](DotOp op) {
      int64_t depth = leastDepth(op, *known);
      if (cast<RankedTensorType>(op.getA().getType()).getShape().back() < depth)
        deepen(op, depth);
    });
  }
};
} // namespace
