//===- SelectVersions.cpp - Versions of nests for addresses that wrap ------===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanRemarks.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTVERSIONS
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectVersions : impl::SelectVersionsBase<SelectVersions> {
  using SelectVersionsBase::SelectVersionsBase;

  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      NestContext context(function, VectorOptions{});
      WalkResult all = function.walk([&](cpu::NestOp nest) -> WalkResult { return select(context, nest); });
      if (all.wasInterrupted())
        return signalPassFailure();
    }
  }

  LogicalResult select(NestContext &context, cpu::NestOp nest) {
    FusionGroup group(FusionGroup::Kind::Nest);
    if (nest.getVersionsAttr() || (!nest.getConfigAttr() && !nest.getMatmulAttr()))
      return success();
    if (failed(readConsumers(nest, group)))
      return failure();
    if (nest.getConfigAttr() && failed(readConfig(nest, nest.getConfigAttr(), context.hints, group)))
      return failure();
    group.isEpilogue = nest.getEpilogue();
    if (group.kind == FusionGroup::Kind::Nest && nest.getMask() &&
        (failed(readMask(nest, group)) || failed(readBounds(nest, context.pointers, group))))
      return failure();
    group.stores.align = nest.getStoresAttr() && nest.getStoresAttr().getAlign();
    LoopVersions versions = chooseVersions(context, group);
    if (!versions.integersWrap && !versions.remaindersWrap)
      return success();
    nest.setVersionsAttr(cpu::VersionsAttr::get(&getContext(), versions.integersWrap, versions.remaindersWrap));
    emitVersionsRemark(nest.getLoc(), versions);
    return success();
  }
};

} // namespace
} // namespace blockdsl
