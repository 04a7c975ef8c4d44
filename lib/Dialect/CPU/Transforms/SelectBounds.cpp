//===- SelectBounds.cpp - Loops that the masks of nests bound --------------===//

#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"

namespace blockdsl {
#define GEN_PASS_DEF_SELECTBOUNDS
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct SelectBounds : impl::SelectBoundsBase<SelectBounds> {
  using SelectBoundsBase::SelectBoundsBase;

  void runOnOperation() override {
    PointerAnalysis pointers;
    WalkResult all = getOperation().walk([&](cpu::NestOp nest) -> WalkResult { return select(pointers, nest); });
    if (all.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult select(PointerAnalysis &pointers, cpu::NestOp nest) {
    cpu::MatmulAttr matmul = nest.getMatmulAttr();
    if ((!nest.getMask() && !matmul) || nest.getBoundsAttr())
      return success();
    FusionGroup group(FusionGroup::Kind::Nest);
    if (failed(readConsumers(nest, group)))
      return failure();
    group.demand = {nest.getMask(), static_cast<int>(nest.getMaskDim().value_or(-1))};
    // Packed words have no bounds: their masked-off elements are zeros.
    if (matmul && matmul.getInstruction() == cpu::Instruction::MultiplyAdd && group.kind == FusionGroup::Kind::Matmul) {
      group.matmul = std::make_unique<MatmulPlan>(cast<linalg::LinalgOp>(group.op), matmul.getLanes(), isInMemory);
      findZeros(*group.matmul, isInMemory);
    }
    nest.setBoundsAttr(getBoundsAttr(&getContext(), findBoundedDims(pointers, group)));
    return success();
  }
};

} // namespace
} // namespace blockdsl
