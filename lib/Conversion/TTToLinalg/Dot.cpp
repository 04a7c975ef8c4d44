//===- Dot.cpp - Lowering of tt.dot to linalg.matmul -----------------------===//
//
// The accumulator is linalg's destination, so `acc = dot(a, b, acc)` needs neither a zero block nor an addition.
// linalg.matmul itself extends operands that are narrower than the accumulator.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct DotToMatmul : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    Value inputs[] = {op.getA(), op.getB()};
    if (cast<RankedTensorType>(op.getType()).getRank() == 2)
      rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, ValueRange(inputs), ValueRange{op.getC()});
    else
      rewriter.replaceOpWithNewOp<linalg::BatchMatmulOp>(op, ValueRange(inputs), ValueRange{op.getC()});
    return success();
  }
};

} // namespace

void populateDotToLinalgPatterns(RewritePatternSet &patterns) { patterns.add<DotToMatmul>(patterns.getContext()); }

} // namespace blockdsl
