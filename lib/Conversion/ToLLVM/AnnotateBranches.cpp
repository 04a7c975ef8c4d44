//===- AnnotateBranches.cpp - Loop metadata on latch branches ----------------===//
//
// llvm.br ^head {llvm.loop_annotation = #a} -> llvm.br ^head {loop_annotation = #a}
//
// MLIR's conversions keep a loop's annotation under the first name, but the translation to LLVM IR reads the second.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_ANNOTATEBRANCHES
#include "blockdsl/Conversion/Passes.h.inc"

template <typename Branch> static void annotate(Branch branch) {
  if (auto annotation = branch->template getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation")) {
    branch->removeDiscardableAttr("llvm.loop_annotation");
    branch.setLoopAnnotationAttr(annotation);
  }
}

namespace {

struct AnnotateBranchesPass : impl::AnnotateBranchesBase<AnnotateBranchesPass> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::BrOp branch) { annotate(branch); });
    getOperation().walk([](LLVM::CondBrOp branch) { annotate(branch); });
  }
};

} // namespace

} // namespace blockdsl
