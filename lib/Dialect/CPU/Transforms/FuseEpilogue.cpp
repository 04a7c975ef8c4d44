//===- FuseEpilogue.cpp - Fusion of stores into the tiles of a matmul -----===//

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/EpilogueFusion.h"

namespace blockdsl {
#define GEN_PASS_DEF_FUSEEPILOGUE
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

/// Returns true for ops that do not separate two nests: fusible ops, ops without effects, and loads that are not
/// volatile.
bool isBetweenSteps(Operation &op) {
  auto load = dyn_cast<LoadOp>(op);
  return isFusible(&op) || (op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || (load && !load.getIsVolatile())));
}

struct FuseEpilogue : impl::FuseEpilogueBase<FuseEpilogue> {
  using FuseEpilogueBase::FuseEpilogueBase;

  void runOnOperation() override {
    if (alias != "disjoint" && alias != "unknown") {
      getOperation().emitError("option 'alias' expects 'disjoint' or 'unknown', got '") << alias << "'";
      return signalPassFailure();
    }
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      PointerAnalysis pointers;
      MemoryAccesses accesses(pointers, alias == "disjoint");
      NestContext context(function, VectorOptions{vectorBits, features});
      bool isValid = true;
      function.walk([&](Block *block) {
        if (!isa<linalg::LinalgOp, cpu::NestOp>(block->getParentOp()))
          isValid &= succeeded(fuseIn(*block, context, accesses));
      });
      if (!isValid)
        return signalPassFailure();
    }
  }

  /// Fuses nests of `block` with the matmul or the loop directly before them, if possible.
  LogicalResult fuseIn(Block &block, NestContext &context, const MemoryAccesses &accesses) {
    Operation *before = nullptr;
    for (Operation &op : block) {
      if (isBetweenSteps(op))
        continue;
      auto stores = dyn_cast<cpu::NestOp>(op);
      if (before && stores && stores.getConfigAttr() && !stores.getEpilogue()) {
        FailureOr<cpu::NestOp> matmul = findStoredMatmul(context, accesses, before, stores);
        if (failed(matmul))
          return failure();
        if (*matmul)
          fuse(*matmul, stores);
      }
      before = &op;
    }
    return success();
  }

  void fuse(cpu::NestOp matmul, cpu::NestOp stores) {
    cpu::MatmulAttr plan = matmul.getMatmulAttr();
    matmul.setMatmulAttr(cpu::MatmulAttr::get(&getContext(), plan.getTile(), plan.getLanes(), plan.getInstruction(),
                                              plan.getLhs(), plan.getRhs(), plan.getRhsWrapping(), /*epilogue=*/true,
                                              plan.getIterations()));
    stores.setEpilogue(true);
  }
};

} // namespace
} // namespace blockdsl
