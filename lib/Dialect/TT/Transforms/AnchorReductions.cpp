//===- AnchorReductions.cpp - Reductions that a Triton gets right ---*- C++ -*-===//
// Where a block's elements lie among the lanes of a warp is Triton's to decide. A gather is where it begins anew.
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

/// Whether Triton chooses the layout of what an op gives by that op alone.
static bool choosesLayout(Operation *op) {
  return isa<DotOp, DotScaledOp, GatherOp, HistogramOp, ReduceOp, ScanOp, AtomicRMWOp, AtomicCASOp, DescriptorLoadOp>(
      op);
}

/// The blocks that are made of what ops of a kind give, with nothing in between that chooses a layout.
template <typename Op> static DenseSet<Value> madeBy(Operation *root) {
  DenseSet<Value> made;
  SmallVector<Value> rest;
  auto reach = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) && made.insert(value).second)
      rest.push_back(value);
  };
  // What goes into a loop or a condition may come out of it as any result, and be any argument of a turn.
  auto reachAll = [&](Operation *op) {
    llvm::for_each(op->getResults(), reach);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), reach);
  };
  root->walk([&](Op op) { reach(op->getResult(0)); });
  while (!rest.empty())
    for (Operation *user : rest.pop_back_val().getUsers()) {
      if (!choosesLayout(user))
        reachAll(user);
      if (isa<RegionBranchOpInterface>(user->getParentOp()) && user->hasTrait<mlir::OpTrait::IsTerminator>())
        reachAll(user->getParentOp());
    }
  return made;
}

/// The block itself, by a gather along its shortest dimension.
static Value gatherItself(OpBuilder &b, Location loc, Value block) {
  auto type = cast<RankedTensorType>(block.getType());
  int64_t axis = llvm::min_element(type.getShape()) - type.getShape().begin();
  int64_t extent = type.getDimSize(axis);
  auto places = RankedTensorType::get({extent}, b.getI32Type());
  Value place = MakeRangeOp::create(b, loc, places, 0, extent);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != axis)
      place = ExpandDimsOp::create(b, loc, place, dim);
  place = BroadcastOp::create(b, loc, type.clone(b.getI32Type()), place);
  return GatherOp::create(b, loc, type, block, place, axis, /*efficient_layout=*/false);
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
    DenseSet<Value> permuted = madeBy<TransOp>(getOperation()), reshaped = madeBy<ReshapeOp>(getOperation());
    getOperation()->walk([&](ReduceOp op) {
      OpBuilder b(op);
      for (OpOperand &operand : op->getOpOperands())
        if (cast<RankedTensorType>(operand.get().getType()).getRank() > 1 && permuted.contains(operand.get()) &&
            reshaped.contains(operand.get()))
          operand.set(gatherItself(b, op.getLoc(), operand.get()));
    });
  }
};
} // namespace
