//===- VerifyKernels.cpp - Conditions of launchable kernels -----*- C++ -*-===//
// Later passes rely on a kernel's signature: a parameter that is a block, for example, would have no buffer.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {
struct VerifyKernels : impl::VerifyKernelsPassBase<VerifyKernels> {
  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (failed(verifyKernel(function)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace blockdsl
