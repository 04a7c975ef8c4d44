//===- AnchorReductions.cpp - Layout resets before reductions ---*- C++ -*-===//
// Triton before 3.9 assumes that the lanes of a warp that hold one row are consecutive, which need not hold for a block
// that was permuted and reshaped. A gather before the reduction makes Triton choose a new layout.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_ANCHORREDUCTIONSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns true if Triton chooses the layout of the op's results from the op alone.
static bool choosesLayout(Operation *op) {
  return isa<DotOp, DotScaledOp, GatherOp, HistogramOp, ReduceOp, ScanOp, AtomicRMWOp, AtomicCASOp, DescriptorLoadOp>(
      op);
}

/// Returns the blocks that are computed from results of `Op`, without an op in between that chooses a new layout.
template <typename Op> static DenseSet<Value> derivedFrom(Operation *root) {
  DenseSet<Value> derived;
  SmallVector<Value> worklist;
  auto add = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) && derived.insert(value).second)
      worklist.push_back(value);
  };
  // An operand of a loop or an if may become any of its results and any argument of its regions.
  auto addAll = [&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), add);
  };
  root->walk([&](Op op) { add(op->getResult(0)); });
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (!choosesLayout(user))
        addAll(user);
      if (isa<RegionBranchOpInterface>(user->getParentOp()) && user->hasTrait<mlir::OpTrait::IsTerminator>())
        addAll(user->getParentOp());
    }
  return derived;
}

/// Returns a copy of `block`: a gather along its shortest dimension.
static Value gatherCopy(OpBuilder &b, Location loc, Value block) {
  auto type = cast<RankedTensorType>(block.getType());
  int64_t axis = llvm::min_element(type.getShape()) - type.getShape().begin();
  int64_t extent = type.getDimSize(axis);
  auto indexType = RankedTensorType::get({extent}, b.getI32Type());
  Value index = MakeRangeOp::create(b, loc, indexType, 0, extent);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != axis)
      index = ExpandDimsOp::create(b, loc, index, dim);
  index = BroadcastOp::create(b, loc, type.clone(b.getI32Type()), index);
  return GatherOp::create(b, loc, type, block, index, axis, /*efficient_layout=*/false);
}

namespace {
struct AnchorReductions : blockdsl::impl::AnchorReductionsPassBase<AnchorReductions> {
  using AnchorReductionsPassBase::AnchorReductionsPassBase;

  void runOnOperation() override {
    std::optional<TTVersion> known = parseTTVersion(version, getOperation());
    if (!known)
      return signalPassFailure();
    if (*known >= TTVersion::V3_9)
      return;
    DenseSet<Value> permuted = derivedFrom<TransOp>(getOperation()), reshaped = derivedFrom<ReshapeOp>(getOperation());
    getOperation()->walk([&](ReduceOp op) {
      OpBuilder b(op);
      for (OpOperand &operand : op->getOpOperands())
        if (cast<RankedTensorType>(operand.get().getType()).getRank() > 1 && permuted.contains(operand.get()) &&
            reshaped.contains(operand.get()))
          operand.set(gatherCopy(b, op.getLoc(), operand.get()));
    });
  }
};
} // namespace
