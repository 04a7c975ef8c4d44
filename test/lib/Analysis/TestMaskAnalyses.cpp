//===- TestMaskAnalyses.cpp - Passes that print the analyses of masks -----===//
//
// Each emits a remark at the op that defines a block in linalg form.
//
//===----------------------------------------------------------------------===//

#include "TestAnalyses.h"

#include "blockdsl/Analysis/DemandedMask.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Base of both passes: calls `print` for each block that a fusible op defines.
template <typename Derived> struct BlockPrinter : PassWrapper<Derived, OperationPass<FuncOp>> {
  void runOnOperation() override {
    AsmState names(this->getOperation());
    this->getOperation().walk([&](Operation *op) {
      if (isFusible(op) && !op->hasTrait<mlir::OpTrait::ConstantLike>())
        for (Value block : op->getResults())
          static_cast<Derived *>(this)->print(block, names);
    });
  }
};

struct TestDemandedMasks : BlockPrinter<TestDemandedMasks> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDemandedMasks)
  StringRef getArgument() const final { return "test-demanded-masks"; }
  StringRef getDescription() const final { return "Print under which mask each block is used"; }

  void print(Value block, AsmState &names) {
    if (block.use_empty())
      return;
    DemandedMask demanded = getDemandedMask(block);
    InFlightDiagnostic remark = block.getDefiningOp()->emitRemark("is used ");
    if (!demanded) {
      remark << "everywhere";
      return;
    }
    std::string mask;
    llvm::raw_string_ostream os(mask);
    demanded.mask.printAsOperand(os, names);
    remark << "under " << mask;
    if (demanded.axis != -1)
      remark << " along dimension " << demanded.axis;
  }
};

struct TestMaskedOffValues : BlockPrinter<TestMaskedOffValues> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestMaskedOffValues)
  StringRef getArgument() const final { return "test-masked-off-values"; }
  StringRef getDescription() const final { return "Print what each block holds where its masks are false"; }

  void print(Value block, AsmState &names) {
    for (Value mask : findMasks(block)) {
      std::string name;
      llvm::raw_string_ostream os(name);
      mask.printAsOperand(os, names);
      TypedAttr constant = getMaskedOffValue(block, mask);
      InFlightDiagnostic remark = block.getDefiningOp()->emitRemark("where ") << name << " is false holds ";
      if (constant)
        remark << constant;
      else
        remark << "no constant";
    }
  }
};

} // namespace

void registerTestMaskAnalyses() {
  PassRegistration<TestDemandedMasks>();
  PassRegistration<TestMaskedOffValues>();
}

} // namespace blockdsl
