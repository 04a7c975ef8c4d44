//===- SelectNestConfig.cpp - Vector dimension and loop order of nests -----===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"
#include "blockdsl/Plan/PlanRemarks.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTNESTCONFIG
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectNestConfig : impl::SelectNestConfigBase<SelectNestConfig> {
  using SelectNestConfigBase::SelectNestConfigBase;

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
    if (nest.getConfigAttr())
      return success();
    if (failed(readConsumers(nest, group)))
      return failure();
    if (group.kind == FusionGroup::Kind::Nest)
      group.config = chooseNestConfig(context, group);
    else if (group.kind == FusionGroup::Kind::Scan)
      group.config = chooseScanConfig(context, group);
    else
      return success();
    nest.setConfigAttr(getNestAttr(&getContext(), group.config));
    if (group.kind == FusionGroup::Kind::Nest)
      emitConfigRemarks(group);
    return success();
  }
};

} // namespace
} // namespace blockdsl
