//===- AccumulateDots.cpp - Sums of dots become accumulators -------------===//

#include "AddToDot.h"

#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_ACCUMULATEDOTSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

struct AccumulateDots : impl::AccumulateDotsPassBase<AccumulateDots> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddToDot<arith::AddFOp, DotOp>, AddToDot<arith::AddIOp, DotOp>>(&getContext());
    // Nothing else is folded here: the text that a plan is dumped as follows the kernel's.
    GreedyRewriteConfig config;
    config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
