//===- SelectPrefetches.cpp - Prefetches of matmuls ------------------------===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTPREFETCHES
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectPrefetches : impl::SelectPrefetchesBase<SelectPrefetches> {
  using SelectPrefetchesBase::SelectPrefetchesBase;

  void runOnOperation() override {
    PointerAnalysis hints(/*assumeNoWrap=*/true);
    WalkResult all = getOperation().walk([&](cpu::NestOp nest) -> WalkResult { return select(hints, nest); });
    if (all.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult select(PointerAnalysis &hints, cpu::NestOp nest) {
    if (nest.getPrefetchAttr() || !nest.getMatmulAttr())
      return success();
    FusionGroup group(FusionGroup::Kind::Nest);
    if (failed(readConsumers(nest, group)))
      return failure();
    if (group.kind != FusionGroup::Kind::Matmul)
      return success();
    auto op = cast<linalg::LinalgOp>(group.op);
    VectorOptions target{vectorBits, features};
    FailureOr<std::unique_ptr<MatmulPlan>> plan = readMatmul(nest, op, target, hints);
    if (failed(plan))
      return failure();
    nest.setPrefetchAttr(getPrefetchAttr(&getContext(), findPrefetches(hints, op, **plan)));
    return success();
  }
};

} // namespace
} // namespace blockdsl
