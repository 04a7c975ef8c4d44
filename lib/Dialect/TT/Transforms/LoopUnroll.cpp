//===- LoopUnroll.cpp - Loop unrolling by an attribute ----------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_LOOPUNROLLPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

constexpr StringLiteral factorName = "tt.loop_unroll_factor";

/// Unrolls `loop` by its factor. The remainder loop gets one stage, because it is too short to be pipelined.
LogicalResult unroll(scf::ForOp loop) {
  auto factor = dyn_cast<IntegerAttr>(loop->getAttr(factorName));
  if (!factor)
    return loop.emitOpError("expects ") << factorName << " to be a number";
  // Triton ignores factors below two and keeps the attribute.
  if (factor.getInt() < 2)
    return success();
  loop->removeAttr(factorName);
  // Upstream computes the bounds of the remainder loop as signed numbers.
  if (loop.getUnsignedCmp())
    return success();
  FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, factor.getInt());
  assert(succeeded(unrolled) && "only a factor of one can fail");
  if (std::optional<scf::ForOp> rest = unrolled->epilogueLoopOp)
    (*rest)->setAttr("tt.num_stages", Builder(*rest).getI32IntegerAttr(1));
  return success();
}

struct LoopUnroll : impl::LoopUnrollPassBase<LoopUnroll> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Inner loops first, because unrolling an outer loop copies them.
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      if (loop->hasAttr(factorName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
