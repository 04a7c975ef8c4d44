//===- LoopHints.cpp - What LLVM is told of a loop -------------------------===//

#include "LoopHints.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {

static void annotate(scf::ForOp loop, LLVM::LoopUnrollAttr unroll, LLVM::LoopVectorizeAttr vectorize = {}) {
  loop->setAttr("llvm.loop_annotation", LLVM::LoopAnnotationAttr::get(loop.getContext(), {}, vectorize, {}, unroll, {},
                                                                      {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

static LLVM::LoopUnrollAttr noUnrolling(scf::ForOp loop) {
  return LLVM::LoopUnrollAttr::get(loop.getContext(), /*disable=*/BoolAttr::get(loop.getContext(), true), {}, {}, {},
                                   {}, {}, {});
}

void keepRolledIfUnknown(scf::ForOp loop) {
  BoolAttr yes = BoolAttr::get(loop.getContext(), true);
  annotate(loop, LLVM::LoopUnrollAttr::get(loop.getContext(), {}, {}, /*runtimeDisable=*/yes, {}, {}, {}, {}));
}

void keepRolled(scf::ForOp loop) { annotate(loop, noUnrolling(loop)); }

void keepSmall(scf::ForOp loop) {
  BoolAttr yes = BoolAttr::get(loop.getContext(), true);
  annotate(loop, noUnrolling(loop),
           LLVM::LoopVectorizeAttr::get(loop.getContext(), /*disable=*/yes, {}, {}, {}, {}, {}, {}));
}

} // namespace blockdsl
