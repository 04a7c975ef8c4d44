//===- Memory.cpp - Lowering of loads and stores of blocks -----------------===//
//
// A load of a block becomes a map over scalar `tt.load`s, which can be fused into its consumers. A store becomes a
// generic without results. Both keep their cache hints on the scalar op.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct LoadToMap : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "already on a scalar");
    SmallVector<Value> inputs = llvm::to_vector(llvm::SetVector<Value>(op->operand_begin(), op->operand_end()));
    auto map = linalg::MapOp::create(rewriter, op.getLoc(), inputs, createEmpty(rewriter, op.getLoc(), type),
                                     [&](OpBuilder &b, Location loc, ValueRange scalars) {
                                       Operation *scalar = cloneAsScalar(b, op, scalars);
                                       linalg::YieldOp::create(b, loc, scalar->getResults());
                                     });
    rewriter.replaceOp(op, map->getResults());
    return success();
  }
};

struct StoreToGeneric : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "already on a scalar");
    SmallVector<Value> inputs = llvm::to_vector(llvm::SetVector<Value>(op->operand_begin(), op->operand_end()));
    createEffects(rewriter, op.getLoc(), inputs,
                  [&](OpBuilder &b, Location, ValueRange scalars) { cloneAsScalar(b, op, scalars); });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMemoryToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LoadToMap, StoreToGeneric>(patterns.getContext());
}

} // namespace blockdsl
