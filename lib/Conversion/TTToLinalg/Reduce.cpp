//===- Reduce.cpp - Gathers read their source by index ---------------------===//
//
// `tt.reduce`, `tt.scan` and `tt.histogram` stay as they are: linalg wants an initial value for a reduction, which
// a user's combine region does not have, and has no scan. The vectoriser reads their regions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct GatherToGeneric : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    auto generic = createGeneric(
        rewriter, op.getLoc(), type, op.getIndices(), identity, [&](OpBuilder &b, Location loc, ValueRange scalars) {
          SmallVector<Value> position;
          for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
            position.push_back(linalg::IndexOp::create(b, loc, dim));
          // Indices count modulo the extent: what lies beside a buffer is not the kernel's. No valid index is negative,
          // and one that seems to be is unsigned.
          Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), scalars[0]);
          Value extent = arith::ConstantIndexOp::create(b, loc, op.getSrc().getType().getDimSize(op.getAxis()));
          position[op.getAxis()] = arith::RemUIOp::create(b, loc, index, extent);
          Value element = tensor::ExtractOp::create(b, loc, op.getSrc(), position);
          linalg::YieldOp::create(b, loc, element);
        });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void populateReduceToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherToGeneric>(patterns.getContext());
}

} // namespace blockdsl
