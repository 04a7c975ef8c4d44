//===- TestAccessBounds.cpp - Pass that prints the formulas of accesses ---===//
//
// Emits a remark at each load, store and atomic access of the tt dialect.
//
//===----------------------------------------------------------------------===//

#include "TestAnalyses.h"

#include "blockdsl/Analysis/AccessBounds.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct TestAccessBounds : PassWrapper<TestAccessBounds, OperationPass<FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAccessBounds)
  StringRef getArgument() const final { return "test-access-bounds"; }
  StringRef getDescription() const final { return "Print the offset and the conditions of each access"; }

  void runOnOperation() override {
    AccessBounds bounds(getOperation());
    for (const Access &access : bounds.getAccesses())
      access.op->emitRemark(bounds.print(access));
  }
};

} // namespace

void registerTestAccessBounds() { PassRegistration<TestAccessBounds>(); }

} // namespace blockdsl
