//===- ShapeFolds.cpp - Folders and canonicalization of shape ops ---------===//
// An op on a splat becomes a splat, and a chain of ops of one kind becomes a single op.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace blockdsl;

/// Returns a splat constant with another shape, or null.
static OpFoldResult resizeSplat(Attribute source, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  return splat ? splat.resizeSplat(cast<ShapedType>(result)) : OpFoldResult();
}

/// op(splat x) -> splat x, for ops with one operand that only move elements.
static LogicalResult moveIntoSplat(Operation *op, PatternRewriter &rewriter) {
  auto splat = op->getOperand(0).getDefiningOp<SplatOp>();
  if (!splat)
    return rewriter.notifyMatchFailure(op, "operand is no splat");
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResult(0).getType(), splat.getSrc());
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(getType(), getStartAttr().getValue());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (auto scalar = dyn_cast_or_null<TypedAttr>(adaptor.getSrc()); scalar && isa<IntegerAttr, FloatAttr>(scalar))
    return SplatElementsAttr::get(getType(), scalar);
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return constant.getSplatValue<Attribute>();
  auto splat = getSrc().getDefiningOp<SplatOp>();
  return splat && splat.getSrc().getType() == getType() ? splat.getSrc() : OpFoldResult();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return resizeSplat(adaptor.getSrc(), getType()); }

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  // Broadcasts last, so that the ops in between have fewer elements.
  if (auto source = op.getSrc().getDefiningOp<BroadcastOp>()) {
    Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), source.getSrc(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
    return success();
  }
  return moveIntoSplat(op, rewriter);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<BroadcastOp>()) {
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source.getSrc()); });
    return success();
  }
  return moveIntoSplat(op, rewriter);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // With allow_reorder, too, since any order is allowed.
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return constant.reshape(getType());
  return {};
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<ReshapeOp>()) {
    rewriter.modifyOpInPlace(op, [&] {
      op.setAllowReorder(op.getAllowReorder() || source.getAllowReorder());
      op.getSrcMutable().assign(source.getSrc());
    });
    return success();
  }
  if (auto source = op.getSrc().getDefiningOp<ExpandDimsOp>()) {
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(source.getSrc()); });
    return success();
  }
  return moveIntoSplat(op, rewriter);
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(SmallVector<int64_t>(getOrder())))
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

LogicalResult TransOp::canonicalize(TransOp op, PatternRewriter &rewriter) {
  if (auto source = op.getSrc().getDefiningOp<TransOp>()) {
    // Dimension i of the result is dimension inner[outer[i]] of the first operand.
    SmallVector<int32_t> order = llvm::map_to_vector(op.getOrder(), [&](int32_t i) { return source.getOrder()[i]; });
    rewriter.modifyOpInPlace(op, [&] {
      op.setOrder(order);
      op.getSrcMutable().assign(source.getSrc());
    });
    return success();
  }
  return moveIntoSplat(op, rewriter);
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getOutLHS() && getRhs() == split.getOutRHS())
    return split.getSrc();
  return adaptor.getLhs() == adaptor.getRhs() ? resizeSplat(adaptor.getLhs(), getType()) : OpFoldResult();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSrc().getDefiningOp<JoinOp>()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  OpFoldResult half = resizeSplat(adaptor.getSrc(), getOutLHS().getType());
  if (!half)
    return failure();
  results.assign({half, half});
  return success();
}
