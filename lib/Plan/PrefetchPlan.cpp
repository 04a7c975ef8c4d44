//===- PrefetchPlan.cpp - Prefetches of a matmul ---------------------------===//

#include "blockdsl/Plan/PrefetchPlan.h"

#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {

/// More prefetches in an iteration take issue slots from the multiply-adds.
constexpr int64_t kLines = 4;
/// A vector arrives from the L2 cache within this many steps.
constexpr int64_t kSteps = 16;

static bool hasPanels(const OperandPlan *packing) { return packing && packing->words.panel != 0; }

static PrefetchPlan::Part findPart(PointerAnalysis &hints, bool isInLoop, const MatmulOperand &operand) {
  using Layout = OperandPlan::Layout;
  if (!operand.load || (operand.plan.layout == Layout::InPlace && !operand.whenWrapping))
    return PrefetchPlan::Part::None;
  // Lines are prefetched along one of the last two dimensions, which are those of a matrix in a batch.
  Strides strides = hints.getBodyStrides(operand.map, LoadOp(operand.load).getPtr());
  int64_t size = getByteSize(LoadOp(operand.load).getType());
  if (!llvm::is_contained(ArrayRef(strides).take_back(2), size))
    return PrefetchPlan::Part::None;
  if (operand.plan.layout == Layout::RowsPerTile)
    return PrefetchPlan::Part::NextTile;
  return isInLoop ? PrefetchPlan::Part::NextIteration : PrefetchPlan::Part::None;
}

PrefetchPlan findPrefetches(PointerAnalysis &hints, linalg::LinalgOp op, const MatmulPlan &matmul) {
  PrefetchPlan plan;
  if (matmul.amx)
    return plan;
  plan.sums = isInMemory(op.getDpsInitOperand(0)->get()) && matmul.columns > matmul.tileColumns();
  // The panels of several iterations are long enough for the hardware to prefetch, and so are their rows.
  if (matmul.iterations != 1)
    return plan;
  // In an iteration of fewer steps prefetches would take too large a share.
  if (matmul.depth % MatmulPlan::kUnroll == 0) {
    bool isInLoop = isa<scf::ForOp>(op->getParentOp()->getParentOp());
    plan.lhs = findPart(hints, isInLoop, matmul.lhs);
    plan.rhs = findPart(hints, isInLoop, matmul.rhs);
  }
  bool isAny = plan.lhs != PrefetchPlan::Part::None || plan.rhs != PrefetchPlan::Part::None;
  plan.lines = isAny ? kLines : 0;
  plan.steps = hasPanels(&matmul.rhs.plan) || hasPanels(matmul.rhs.whenWrapping.get()) ? kSteps : 0;
  return plan;
}

} // namespace blockdsl
