//===- TestInputVerifier.cpp - Pass that verifies the loop emitter's input -===//

#include "TestAnalyses.h"

#include "blockdsl/Analysis/InputVerifier.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct TestInputVerifier : PassWrapper<TestInputVerifier, OperationPass<FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestInputVerifier)
  StringRef getArgument() const final { return "test-emitter-input"; }
  StringRef getDescription() const final { return "Verify that a kernel is in the form that loops are emitted from"; }

  void runOnOperation() override {
    if (failed(verifyEmitterInput(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void registerTestInputVerifier() { PassRegistration<TestInputVerifier>(); }

} // namespace blockdsl
