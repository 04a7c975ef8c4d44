//===- FusibleOps.cpp - Ops that are computed inside their consumers' loops ===//

#include "blockdsl/Analysis/FusibleOps.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace blockdsl {

bool isFusible(Operation *op) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::EmptyOp>(op))
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return op->getNumResults() != 0 && linalgOp.getNumReductionLoops() == 0;
  if (isa<arith::ConstantOp, ub::PoisonOp>(op))
    return isa<RankedTensorType>(op->getResult(0).getType());
  return false;
}

bool hasVolatileLoad(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp &&
         llvm::any_of(linalgOp.getBlock()->getOps<LoadOp>(), [](LoadOp load) { return load.getIsVolatile(); });
}

bool hasBranches(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && llvm::any_of(*linalgOp.getBlock(), [](Operation &inner) { return inner.getNumRegions() != 0; });
}

bool isTranscendental(Operation *op) {
  return isa<ExternElementwiseOp>(op) ||
         (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::FmaOp>(op));
}

} // namespace blockdsl
