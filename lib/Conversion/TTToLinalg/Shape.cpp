//===- Shape.cpp - Lowering of shape ops to index maps and reshapes --------===//
//
// A broadcast, transpose, split or join becomes a generic whose indexing maps give the source of each element, so that
// it moves no data by itself. Reshapes become `tensor.expand_shape` and `tensor.collapse_shape`.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace blockdsl {
namespace {

void yieldFirst(OpBuilder &b, Location loc, ValueRange scalars) { linalg::YieldOp::create(b, loc, scalars[0]); }

/// Creates a row-major reshape, through the one-dimensional form if no single op can express it.
Value createReshape(PatternRewriter &rewriter, Location loc, Value source, RankedTensorType type) {
  auto sourceType = cast<RankedTensorType>(source.getType());
  if (sourceType.getShape() == type.getShape())
    return source;
  if (auto grouping = getReassociationIndicesForReshape(sourceType, type)) {
    if (sourceType.getRank() > type.getRank())
      return tensor::CollapseShapeOp::create(rewriter, loc, type, source, *grouping);
    return tensor::ExpandShapeOp::create(rewriter, loc, type, source, *grouping);
  }
  auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  SmallVector<ReassociationIndices> fold = {llvm::to_vector(llvm::seq<int64_t>(0, sourceType.getRank()))};
  SmallVector<ReassociationIndices> unfold = {llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
  Value line =
      sourceType.getRank() == 1 ? source : Value(tensor::CollapseShapeOp::create(rewriter, loc, flat, source, fold));
  return type.getRank() == 1 ? line : Value(tensor::ExpandShapeOp::create(rewriter, loc, type, line, unfold));
}

struct SplatToFill : OpRewritePattern<SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplatOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = createEmpty(rewriter, op.getLoc(), type);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, ValueRange{op.getSrc()}, ValueRange{empty});
    return success();
  }
};

struct UnsplatToExtract : OpRewritePattern<UnsplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnsplatOp op, PatternRewriter &rewriter) const override {
    int64_t rank = cast<RankedTensorType>(op.getSrc().getType()).getRank();
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, op.getSrc(), SmallVector<Value>(rank, zero));
    return success();
  }
};

struct BroadcastToGeneric : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    SmallVector<AffineExpr> from;
    for (auto [dim, size] : llvm::enumerate(sourceType.getShape()))
      from.push_back(size == 1 ? rewriter.getAffineConstantExpr(0) : rewriter.getAffineDimExpr(dim));
    AffineMap map = AffineMap::get(type.getRank(), 0, from, rewriter.getContext());
    rewriter.replaceOp(op, createGeneric(rewriter, op.getLoc(), type, op.getSrc(), map, yieldFirst)->getResults());
    return success();
  }
};

struct ExpandDimsToExpandShape : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createReshape(rewriter, op.getLoc(), op.getSrc(), cast<RankedTensorType>(op.getType())));
    return success();
  }
};

struct ReshapeToReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createReshape(rewriter, op.getLoc(), op.getSrc(), cast<RankedTensorType>(op.getType())));
    return success();
  }
};

struct TransToTranspose : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const override {
    Value empty = createEmpty(rewriter, op.getLoc(), cast<RankedTensorType>(op.getType()));
    SmallVector<int64_t> order(op.getOrder().begin(), op.getOrder().end());
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, op.getSrc(), empty, order);
    return success();
  }
};

/// Returns the map of all dimensions but the last, which reads a block of one dimension less.
AffineMap dropLast(PatternRewriter &rewriter, int64_t rank) {
  return rewriter.getMultiDimIdentityMap(rank).getMajorSubMap(rank - 1);
}

Value createJoin(PatternRewriter &rewriter, Location loc, Value lhs, Value rhs, RankedTensorType type) {
  int64_t last = type.getRank() - 1;
  AffineMap map = dropLast(rewriter, type.getRank());
  return createGeneric(rewriter, loc, type, {lhs, rhs}, {map, map},
                       [&](OpBuilder &b, Location l, ValueRange scalars) {
                         Value which = linalg::IndexOp::create(b, l, last);
                         Value zero = arith::ConstantIndexOp::create(b, l, 0);
                         Value first = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, which, zero);
                         Value element = arith::SelectOp::create(b, l, first, scalars[0], scalars[1]);
                         linalg::YieldOp::create(b, l, element);
                       })
      .getResult(0);
}

struct JoinToGeneric : OpRewritePattern<JoinOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(JoinOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, createJoin(rewriter, op.getLoc(), op.getLhs(), op.getRhs(), cast<RankedTensorType>(op.getType())));
    return success();
  }
};

struct SplitToGeneric : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> halves;
    for (int64_t half : {0, 1}) {
      AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank())
                          .insertResult(rewriter.getAffineConstantExpr(half), type.getRank());
      halves.push_back(createGeneric(rewriter, op.getLoc(), type, op.getSrc(), map, yieldFirst).getResult(0));
    }
    rewriter.replaceOp(op, halves);
    return success();
  }
};

/// Lowers a concatenation of one-dimensional blocks to a join whose pair dimension is moved to the front and collapsed.
struct CatToJoin : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CatOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto lineType = cast<RankedTensorType>(op.getLhs().getType());
    Type element = lineType.getElementType();
    SmallVector<int64_t> joined(lineType.getShape()), swapped(lineType.getShape());
    joined.push_back(2);
    swapped.insert(swapped.begin(), 2);
    Value pairs = createJoin(rewriter, loc, op.getLhs(), op.getRhs(), RankedTensorType::get(joined, element));
    SmallVector<int64_t> order = {lineType.getRank()};
    llvm::append_range(order, llvm::seq<int64_t>(0, lineType.getRank()));
    Value empty = createEmpty(rewriter, loc, RankedTensorType::get(swapped, element));
    Value front = linalg::TransposeOp::create(rewriter, loc, pairs, empty, order)->getResult(0);
    rewriter.replaceOp(op, createReshape(rewriter, loc, front, cast<RankedTensorType>(op.getType())));
    return success();
  }
};

} // namespace

void populateShapeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<SplatToFill, UnsplatToExtract, BroadcastToGeneric, ExpandDimsToExpandShape, ReshapeToReshape,
               TransToTranspose, JoinToGeneric, SplitToGeneric, CatToJoin>(patterns.getContext());
}

} // namespace blockdsl
