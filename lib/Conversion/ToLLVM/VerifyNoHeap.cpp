//===- VerifyNoHeap.cpp - Verifier of the final LLVM dialect ----------------===//
//
// The last pass of the CPU pipeline. It reports ops that no pass lowered, and calls that would use the heap, at their
// location in the kernel.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_VERIFYNOHEAP
#include "blockdsl/Conversion/Passes.h.inc"

/// Returns true for functions of the C library and of MLIR's runtime that allocate, or copy element by element.
static bool usesHeap(StringRef callee) {
  static const llvm::StringSet<> refused = {"malloc",
                                            "free",
                                            "calloc",
                                            "realloc",
                                            "aligned_alloc",
                                            "memrefCopy",
                                            "_mlir_alloc",
                                            "_mlir_free",
                                            "_mlir_memref_to_llvm_alloc",
                                            "_mlir_memref_to_llvm_free",
                                            "_mlir_memref_to_llvm_aligned_alloc"};
  return refused.contains(callee);
}

namespace {

struct VerifyNoHeapPass : impl::VerifyNoHeapBase<VerifyNoHeapPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa<ModuleOp>(op) && !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return op->emitOpError("is left at the end of the CPU pipeline: no pass lowers it in this form");
      auto call = dyn_cast<LLVM::CallOp>(op);
      if (call && call.getCallee() && usesHeap(*call.getCallee()))
        return op->emitOpError("calls '") << *call.getCallee() << "', but kernels do not use the heap";
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

} // namespace blockdsl
