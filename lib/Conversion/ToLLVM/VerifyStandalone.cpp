//===- VerifyStandalone.cpp - Verifier of kernels without the runtime --------===//
//
// An object file that is linked into a C program has no runtime. The pass reports operations that need it at their
// location in the kernel.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_VERIFYSTANDALONE
#include "blockdsl/Conversion/Passes.h.inc"

/// Describes the operation of a runtime function that is not available standalone; empty for other functions.
static StringRef needsRuntime(StringRef callee) {
  return llvm::StringSwitch<StringRef>(callee)
      .Case("blockdsl_nanoseconds", "reading the clock")
      .Case("blockdsl_print", "'device_print'")
      .Case("blockdsl_processor", "asking for the processor's number")
      .Case("blockdsl_processor_count", "asking for the number of processors")
      .Case("blockdsl_wait", "a loop that waits for another program")
      .Default("");
}

namespace {

struct VerifyStandalonePass : impl::VerifyStandaloneBase<VerifyStandalonePass> {
  void runOnOperation() override {
    getOperation().walk([this](LLVM::CallOp call) {
      StringRef what = needsRuntime(call.getCallee().value_or(""));
      if (what.empty())
        return;
      emitError(call.getLoc()) << what << " needs the runtime, which an object file does without";
      signalPassFailure();
    });
  }
};

} // namespace

} // namespace blockdsl
