//===- VerifyKernels.cpp - conditions of a launchable kernel ----*- C++ -*-===//
// The passes behind take a kernel's interface as given: a block among its parameters would be in nobody's memory.
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
