//===- Program.cpp - Lowering of ranges to linalg.generic ------------------===//
//
// Program ids and counts are scalars and stay `tt` ops until the launch ABI gives them values.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct MakeRangeToGeneric : OpRewritePattern<MakeRangeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MakeRangeOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    auto generic = createGeneric(rewriter, op.getLoc(), type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange) {
      Value index = linalg::IndexOp::create(b, loc, 0);
      Value element = arith::IndexCastOp::create(b, loc, type.getElementType(), index);
      if (op.getStart() != 0) {
        Value start = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type.getElementType(), op.getStart()));
        element = arith::AddIOp::create(b, loc, element, start);
      }
      linalg::YieldOp::create(b, loc, element);
    });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void populateProgramToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<MakeRangeToGeneric>(patterns.getContext());
}

} // namespace blockdsl
