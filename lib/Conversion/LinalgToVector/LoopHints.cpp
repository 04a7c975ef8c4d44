//===- LoopHints.cpp - Loop metadata for LLVM -------------------------------===//

#include "LoopHints.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {

static constexpr llvm::StringLiteral kAnnotation("llvm.loop_annotation");

/// A kernel with more loops that gather is a network of exchanges that its author wrote out.
static constexpr size_t kManyGathers = 8;

static void annotate(scf::ForOp loop, LLVM::LoopUnrollAttr unroll, LLVM::LoopVectorizeAttr vectorize = {}) {
  loop->setAttr(kAnnotation, LLVM::LoopAnnotationAttr::get(loop.getContext(), {}, vectorize, {}, unroll, {}, {}, {}, {},
                                                           {}, {}, {}, {}, {}, {}, {}));
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

void keepGathersRolled(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<LLVM::masked_gather>().empty())
      loops.push_back(loop);
  });
  if (loops.size() <= kManyGathers)
    return;
  for (scf::ForOp loop : loops)
    if (auto known = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(kAnnotation); !known || !known.getVectorize())
      keepRolled(loop);
}

} // namespace blockdsl
