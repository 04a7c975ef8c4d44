//===- LoopHints.cpp - Loop metadata for LLVM -------------------------------===//

#include "LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

static constexpr llvm::StringLiteral kAnnotation("llvm.loop_annotation");

/// A kernel with more loops that gather or exchange elements is assumed to contain an unrolled network.
static constexpr size_t kManyExchanges = 8;

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

/// Returns true for gathers, shuffles that exchange lanes, and indices of exchanged vectors.
static bool isExchange(Operation &op) {
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op))
    return llvm::all_of(llvm::enumerate(shuffle.getMask()), [&](auto lane) {
      return lane.value() == (static_cast<int64_t>(lane.index()) ^ shuffle.getMask().front());
    });
  return isa<LLVM::masked_gather>(op) ||
         (isa<arith::XOrIOp>(op) && isa<IndexType, IntegerType>(op.getResult(0).getType()));
}

void keepExchangesRolled(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    if (llvm::any_of(*loop.getBody(), isExchange))
      loops.push_back(loop);
  });
  if (loops.size() <= kManyExchanges)
    return;
  for (scf::ForOp loop : loops)
    if (auto known = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(kAnnotation); !known || !known.getVectorize())
      keepRolled(loop);
}

} // namespace blockdsl
