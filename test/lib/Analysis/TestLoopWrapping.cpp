//===- TestLoopWrapping.cpp - Pass that prints which loops may wrap --------===//

#include "TestAnalyses.h"

#include "blockdsl/Analysis/LoopWrapping.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct TestLoopWrapping : PassWrapper<TestLoopWrapping, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLoopWrapping)
  StringRef getArgument() const final { return "test-loop-wrapping"; }
  StringRef getDescription() const final { return "Print whether the variable of each loop may wrap"; }

  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      LoopWrapping wrapping = getLoopWrapping(loop);
      InFlightDiagnostic remark = loop.emitRemark(wrapping.isStepPositive ? "positive step, " : "any step, ");
      switch (wrapping.variable) {
      case LoopWrapping::Variable::NeverWraps:
        remark << "never wraps";
        break;
      case LoopWrapping::Variable::WrapsAsSigned:
        remark << "wraps as signed";
        break;
      case LoopWrapping::Variable::MayWrap:
        remark << "may wrap";
        break;
      }
    });
  }
};

} // namespace

void registerTestLoopWrapping() { PassRegistration<TestLoopWrapping>(); }

} // namespace blockdsl
