//===- TTToLinalg.cpp - Conversion of tt to linalg on tensors --------------===//
//
// The pass only; the patterns are in one file per op family. Ops on blocks that no pattern converts are rejected,
// unless the vectorizer reads them.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace blockdsl {
#define GEN_PASS_DEF_CONVERTTTTOLINALG
#include "blockdsl/Conversion/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct ConvertTTToLinalg : impl::ConvertTTToLinalgBase<ConvertTTToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDebugToLinalgPatterns(patterns);
    populateDotToLinalgPatterns(patterns);
    populateElementwiseToLinalgPatterns(patterns);
    populateMemoryToLinalgPatterns(patterns);
    populateProgramToLinalgPatterns(patterns);
    populateReduceToLinalgPatterns(patterns);
    populateShapeToLinalgPatterns(patterns);
    // One walk is enough: no pattern creates an op that another pattern matches.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (getOperation()->walk([](Operation *op) { return checkConverted(op); }).wasInterrupted())
      signalPassFailure();
  }

  static WalkResult checkConverted(Operation *op) {
    if (!isa_and_nonnull<TTDialect>(op->getDialect()) || isa<ReduceOp, ScanOp, HistogramOp>(op) || isAtomic(op))
      return WalkResult::advance();
    if (!llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) || isa<ReturnOp>(op))
      return WalkResult::advance();
    op->emitOpError("has no form on the CPU yet");
    return WalkResult::interrupt();
  }
};

} // namespace
} // namespace blockdsl
