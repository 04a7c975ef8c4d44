//===- MergeIterations.cpp - Several iterations of a loop in one matmul ---===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/AccumulatedMatmuls.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"
#include "blockdsl/Plan/PlanRemarks.h"

namespace blockdsl {
#define GEN_PASS_DEF_MERGEITERATIONS
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

/// Emits a remark for each matmul that `loop` accumulates and that is not merged.
void explain(scf::ForOp loop, StringRef reason) {
  for (unsigned index = 0; index < loop.getNumResults(); ++index)
    if (isa<RankedTensorType>(loop.getResult(index).getType()))
      if (linalg::LinalgOp matmul = getAccumulated(loop, index))
        emitSingleIterationRemark(matmul.getLoc(), cast<ShapedType>(matmul->getResult(0).getType()), reason);
}

struct MergeIterations : impl::MergeIterationsBase<MergeIterations> {
  using MergeIterationsBase::MergeIterationsBase;

  void runOnOperation() override {
    if (alias != "disjoint" && alias != "unknown") {
      getOperation().emitError("option 'alias' expects 'disjoint' or 'unknown', got '") << alias << "'";
      return signalPassFailure();
    }
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      WalkResult all = function.walk([&](scf::ForOp loop) -> WalkResult {
        cpu::NestOp nest = findMergeableMatmul(loop);
        if (!nest)
          explain(loop, "it does more than add up this matmul");
        bool isDecided = nest && (nest.getMatmulAttr().getIterations() != 1 || nest.getMatmulAttr().getEpilogue());
        return !nest || isDecided ? success() : merge(function, loop, nest);
      });
      if (all.wasInterrupted())
        return signalPassFailure();
    }
  }

  LogicalResult merge(FuncOp function, scf::ForOp loop, cpu::NestOp nest) {
    FusionGroup group(FusionGroup::Kind::Nest);
    if (failed(readConsumers(nest, group)))
      return failure();
    PointerAnalysis pointers, hints(/*assumeNoWrap=*/true);
    VectorOptions target{vectorBits, features};
    FailureOr<std::unique_ptr<MatmulPlan>> plan = readMatmul(nest, cast<linalg::LinalgOp>(group.op), target, hints);
    if (failed(plan))
      return failure();
    if (!isMergeable(**plan)) {
      explain(loop, "an operand is not packed, or is a batch");
      return success();
    }
    MemoryAccesses accesses(pointers, alias == "disjoint");
    planIterations(**plan, loop.getStaticTripCount(), accesses.isNeverWritten(function, (*plan)->rhs.block));
    if ((*plan)->iterations != 1)
      emitIterationsRemark(nest.getLoc(), **plan);
    nest.setMatmulAttr(getMatmulAttr(&getContext(), **plan));
    return success();
  }
};

} // namespace
} // namespace blockdsl
