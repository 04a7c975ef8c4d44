//===- SelectMatmul.cpp - Tile, instruction and packing of matmuls ---------===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"
#include "blockdsl/Plan/PlanRemarks.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTMATMUL
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectMatmul : impl::SelectMatmulBase<SelectMatmul> {
  using SelectMatmulBase::SelectMatmulBase;

  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      NestContext context(function, VectorOptions{vectorBits, features});
      WalkResult all = function.walk([&](cpu::NestOp nest) -> WalkResult { return select(context, nest); });
      if (all.wasInterrupted())
        return signalPassFailure();
    }
  }

  LogicalResult select(NestContext &context, cpu::NestOp nest) {
    FusionGroup group(FusionGroup::Kind::Nest);
    if (nest.getMatmulAttr())
      return success();
    if (failed(readConsumers(nest, group)))
      return failure();
    if (group.kind != FusionGroup::Kind::Matmul)
      return success();
    std::unique_ptr<MatmulPlan> plan = planMatmul(context, cast<linalg::LinalgOp>(group.op));
    nest.setMatmulAttr(getMatmulAttr(&getContext(), *plan));
    emitMatmulRemark(nest.getLoc(), *plan);
    return success();
  }
};

} // namespace
} // namespace blockdsl
