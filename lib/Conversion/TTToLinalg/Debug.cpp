//===- Debug.cpp - Assertions and prints, element by element ---------------===//
//
// A print of several blocks shows one after the other: their shapes may differ.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct AssertToGeneric : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssertOp op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getCondition().getType()))
      return rewriter.notifyMatchFailure(op, "already on a scalar");
    createEffects(rewriter, op.getLoc(), op.getCondition(),
                  [&](OpBuilder &b, Location, ValueRange scalars) { cloneAsScalar(b, op, scalars); });
    rewriter.eraseOp(op);
    return success();
  }
};

struct PrintToGeneric : OpRewritePattern<PrintOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PrintOp op, PatternRewriter &rewriter) const override {
    if (!llvm::any_of(op.getArgs().getTypes(), llvm::IsaPred<RankedTensorType>))
      return rewriter.notifyMatchFailure(op, "already on scalars");
    for (auto [value, isSigned] : llvm::zip(op.getArgs(), op.getIsSigned())) {
      auto print = [&, isSigned = isSigned](OpBuilder &b, Location loc, Value scalar) {
        PrintOp::create(b, loc, op.getPrefixAttr(), op.getHexAttr(), scalar, b.getDenseI32ArrayAttr({isSigned}));
      };
      if (isa<RankedTensorType>(value.getType()))
        createEffects(rewriter, op.getLoc(), value,
                      [&](OpBuilder &b, Location loc, ValueRange scalars) { print(b, loc, scalars[0]); });
      else
        print(rewriter, op.getLoc(), value);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// A barrier orders the threads of one program, and here a program is one thread. A wait for the launch before this one
/// orders launches, and those follow one another.
struct DropOrder : RewritePattern {
  DropOrder(StringRef name, MLIRContext *context) : RewritePattern(name, /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateDebugToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<AssertToGeneric, PrintToGeneric>(patterns.getContext());
  // Of the barrier the names that Triton 3.6 and the later versions print.
  const StringRef names[] = {"gpu.barrier", "ttg.barrier", GridDependencyWaitOp::getOperationName(),
                             GridDependencyLaunchDependentsOp::getOperationName()};
  for (StringRef name : names)
    patterns.add<DropOrder>(name, patterns.getContext());
}

} // namespace blockdsl
