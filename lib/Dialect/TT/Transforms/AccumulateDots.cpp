//===- AccumulateDots.cpp - Accumulation in the dots of loops -------------===//
//
// The sums of a loop then stay in registers. Outside of loops the rewrite would gain nothing and lose accuracy: small
// products vanish in a sum that starts with a large addend.
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

/// Returns true if `sum` adds to a block that a loop carries, and is its next value.
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
    // No folding, so that the dumped plan resembles the text of the kernel.
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
