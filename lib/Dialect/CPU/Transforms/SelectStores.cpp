//===- SelectStores.cpp - Alignment and streaming of the stores of nests ---===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanRemarks.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTSTORES
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectStores : impl::SelectStoresBase<SelectStores> {
  using SelectStoresBase::SelectStoresBase;

  void runOnOperation() override {
    PointerAnalysis pointers, hints(/*assumeNoWrap=*/true);
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      bool mayStream = streamingStores && !hasAtomics(function);
      WalkResult all =
          function.walk([&](cpu::NestOp nest) -> WalkResult { return select(pointers, hints, mayStream, nest); });
      if (all.wasInterrupted())
        return signalPassFailure();
    }
  }

  LogicalResult select(PointerAnalysis &pointers, PointerAnalysis &hints, bool mayStream, cpu::NestOp nest) {
    if (nest.getStoresAttr() || !nest.getConfigAttr() || nest->getNumResults() != 0)
      return success();
    FusionGroup group(FusionGroup::Kind::Nest);
    if (failed(readConsumers(nest, group)))
      return failure();
    if (group.kind != FusionGroup::Kind::Nest)
      return success();
    if (failed(readConfig(nest, nest.getConfigAttr(), hints, group)) || failed(readMask(nest, group)) ||
        failed(readBounds(nest, pointers, group)))
      return failure();
    StorePlan stores = chooseStores(group, findPossibleStores(hints, group, vectorBits), mayStream);
    if (stores.align)
      emitAlignmentRemark(nest.getLoc());
    if (stores.align || stores.stream)
      nest.setStoresAttr(cpu::StoresAttr::get(&getContext(), stores.align, stores.stream));
    return success();
  }
};

} // namespace
} // namespace blockdsl
