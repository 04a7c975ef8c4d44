//===- AccumulateDots.cpp - Sums of dots become accumulators -------------===//
//
// In a loop the sums then stay in registers. Elsewhere nothing would be gained, and a sum that starts with a large
// addend loses what small products contribute.
//
//===----------------------------------------------------------------------===//

#include "AddToDot.h"

#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_ACCUMULATEDOTSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

/// Returns whether `sum` adds to a block that a loop carries, and is its next value.
bool isCarried(Operation *sum) {
  auto loop = dyn_cast<scf::ForOp>(sum->getParentOp());
  if (!loop || !sum->hasOneUse())
    return false;
  OpOperand &use = *sum->use_begin();
  return use.getOwner() == loop.getBody()->getTerminator() &&
         llvm::is_contained(sum->getOperands(), loop.getRegionIterArg(use.getOperandNumber()));
}

template <typename AddOp> struct AddToCarried : AddToDot<AddOp, DotOp> {
  using AddToDot<AddOp, DotOp>::AddToDot;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    if (!isCarried(op))
      return rewriter.notifyMatchFailure(op, "no sum that a loop carries");
    return AddToDot<AddOp, DotOp>::matchAndRewrite(op, rewriter);
  }
};

struct AccumulateDots : impl::AccumulateDotsPassBase<AccumulateDots> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddToCarried<arith::AddFOp>, AddToCarried<arith::AddIOp>>(&getContext());
    // Nothing else is folded here: the text that a plan is dumped as follows the kernel's.
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
