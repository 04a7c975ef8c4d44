//===- VerifySingleKernel.cpp - Conditions of modules for Triton ----------===//
// Triton fails an assertion on some invalid modules before its own verifier runs. This pass reports them first.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_VERIFYSINGLEKERNELPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns true for ops that Triton has from 3.9 on.
static bool isOfLatest(Operation *op) {
  return isa<AtomicLoadOp, AtomicStoreOp, AtomicPollOp, ApproxDivFOp, GridDependencyWaitOp,
             GridDependencyLaunchDependentsOp>(op);
}

namespace {
struct VerifySingleKernel : blockdsl::impl::VerifySingleKernelPassBase<VerifySingleKernel> {
  using VerifySingleKernelPassBase::VerifySingleKernelPassBase;

  void runOnOperation() override {
    std::optional<TTVersion> known = parseTTVersion(version, getOperation());
    if (!known)
      return signalPassFailure();
    if (failed(verifyFunctions()) ||
        getOperation().walk([&](Operation *op) { return verifyOp(op, *known); }).wasInterrupted())
      signalPassFailure();
  }

  LogicalResult verifyFunctions() {
    FuncOp kernel;
    for (auto function : getOperation().getOps<FuncOp>()) {
      if (!function.isPublic())
        return function.emitOpError("expects no function besides the kernel, got private '")
               << function.getName() << "'";
      if (kernel)
        return function.emitOpError("expects one kernel in a module, got '")
               << kernel.getName() << "' and '" << function.getName() << "'";
      kernel = function;
    }
    if (!kernel)
      return getOperation().emitError("expects a kernel, a public function, got none");
    return verifyKernel(kernel);
  }

  WalkResult verifyOp(Operation *op, TTVersion known) {
    if (known < TTVersion::V3_9 && isOfLatest(op))
      return op->emitOpError("expects Triton 3.9, got ") << version;
    return WalkResult::advance();
  }
};
} // namespace
