//===- AnnotateFunctions.cpp - Attributes of functions for LLVM --------------===//
//
// nounwind, which LLVM's pipeline for vectorized code does not infer, and "blockdsl-vectorized" on functions for which
// that pipeline is enough (backends/cpu.py).
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_ANNOTATEFUNCTIONS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral vectorizedAttribute = "blockdsl-vectorized";

static LLVM::LoopAnnotationAttr annotationOf(Operation *branch) {
  if (auto br = dyn_cast<LLVM::BrOp>(branch))
    return br.getLoopAnnotationAttr();
  auto conditional = dyn_cast<LLVM::CondBrOp>(branch);
  return conditional ? conditional.getLoopAnnotationAttr() : LLVM::LoopAnnotationAttr();
}

/// Returns true if the annotation of a back edge disables vectorization of its loop.
static bool isVectorizationDisabled(Operation *branch) {
  LLVM::LoopAnnotationAttr annotation = annotationOf(branch);
  LLVM::LoopVectorizeAttr vectorize = annotation ? annotation.getVectorize() : LLVM::LoopVectorizeAttr();
  return vectorize && vectorize.getDisable() && vectorize.getDisable().getValue();
}

/// Returns true if an op keeps LLVM from vectorizing its loop: it computes vectors itself, calls a function, or has
/// ordered effects.
static bool preventsVectorization(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op); load && load.getVolatile_())
    return true;
  if (isa<LLVM::CallOp, LLVM::InlineAsmOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
    return true;
  constexpr auto isWide = llvm::IsaPred<VectorType, LLVM::LLVMX86AMXType>;
  return llvm::any_of(op.getOperandTypes(), isWide) || llvm::any_of(op.getResultTypes(), isWide);
}

/// Returns true if LLVM might vectorize the natural loop of a back edge.
static bool isScalarLoop(Block *latch, Block *header) {
  llvm::SetVector<Block *> blocks;
  blocks.insert(header);
  blocks.insert(latch);
  // Predecessors up to the header, which dominates them.
  for (unsigned next = 1; next < blocks.size(); ++next)
    blocks.insert_range(blocks[next]->getPredecessors());
  return llvm::none_of(blocks, [](Block *block) { return llvm::any_of(*block, preventsVectorization); });
}

static bool hasScalarLoops(LLVM::LLVMFuncOp function) {
  if (function.getBody().hasOneBlock())
    return false;
  DominanceInfo dominance(function);
  return llvm::any_of(function.getBody(), [&](Block &block) {
    return !isVectorizationDisabled(block.getTerminator()) && llvm::any_of(block.getSuccessors(), [&](Block *to) {
      return dominance.dominates(to, &block) && isScalarLoop(&block, to);
    });
  });
}

static void addPassthrough(LLVM::LLVMFuncOp function, StringRef attribute) {
  SmallVector<Attribute> all;
  if (ArrayAttr before = function.getPassthroughAttr())
    llvm::append_range(all, before);
  all.push_back(StringAttr::get(function.getContext(), attribute));
  function.setPassthroughAttr(ArrayAttr::get(function.getContext(), all));
}

namespace {

struct AnnotateFunctionsPass : impl::AnnotateFunctionsBase<AnnotateFunctionsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      function.setNoUnwind(true);
      if (!hasScalarLoops(function))
        addPassthrough(function, vectorizedAttribute);
    }
  }
};

} // namespace

} // namespace blockdsl
