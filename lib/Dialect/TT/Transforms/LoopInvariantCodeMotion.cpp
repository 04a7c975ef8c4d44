//===- LoopInvariantCodeMotion.cpp - Hoisting of loop-invariant ops and loads -===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_LOOPINVARIANTCODEMOTIONPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

bool isHoistingDisabled(Operation *loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  return annotation && annotation.getLicm() && annotation.getLicm().getDisable() &&
         annotation.getLicm().getDisable().getValue();
}

bool writes(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        bool isContainer = op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>();
        bool isHarmless = isContainer || isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op);
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Masks a hoisted load off if the loop has no iterations.
void guard(LoadOp load, scf::ForOp loop) {
  ImplicitLocOpBuilder b(load.getLoc(), loop);
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value mask = arith::CmpIOp::create(b, predicate, loop.getLowerBound(), loop.getUpperBound());
  if (auto block = dyn_cast<RankedTensorType>(load.getType()))
    mask = SplatOp::create(b, block.clone(b.getI1Type()), mask);
  if (load.getMask())
    mask = arith::AndIOp::create(b, mask, load.getMask());
  load.getMaskMutable().assign(mask);
}

struct LoopInvariantCodeMotion : impl::LoopInvariantCodeMotionPassBase<LoopInvariantCodeMotion> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (isHoistingDisabled(loop))
        return;
      auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
      bool mayMoveLoads = counted && !writes(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) {
            // Only ops directly in the loop's body are visited: loads under a condition stay, as they may never run.
            auto load = dyn_cast<LoadOp>(op);
            if (load && !load.getIsVolatile() && mayMoveLoads)
              return !cast<PtrType>(getElementTypeOrSelf(load.getPtr())).isBlockPointer();
            return isMemoryEffectFree(op) && isSpeculatable(op);
          },
          [&](Operation *op, Region *) {
            if (auto load = dyn_cast<LoadOp>(op))
              guard(load, counted);
            loop.moveOutOfLoop(op);
          });
    });
  }
};

} // namespace
} // namespace blockdsl
