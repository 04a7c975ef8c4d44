//===- AnchorReductions.cpp - Reductions that a Triton gets right ---*- C++ -*-===//
// Where a block's elements lie among the lanes of a warp is Triton's to decide. A gather is where it begins anew.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Whether what a value is made of was both permuted and reshaped, with nothing in between that chooses a layout.
static bool isPermutedAndReshaped(Value value) {
  bool permuted = false, reshaped = false;
  SmallPtrSet<Operation *, 32> seen;
  SmallVector<Operation *> rest;
  auto follow = [&](Value from) {
    Operation *op = from.getDefiningOp();
    if (!op)
      op = from.getParentBlock()->getParentOp();
    if (isa<RankedTensorType>(from.getType()) && seen.insert(op).second)
      rest.push_back(op);
  };
  follow(value);
  while (!rest.empty() && !(permuted && reshaped)) {
    Operation *op = rest.pop_back_val();
    if (choosesLayout(op))
      continue;
    permuted |= isa<TransOp>(op);
    reshaped |= isa<ReshapeOp>(op);
    llvm::for_each(op->getOperands(), follow);
    // What a loop carries or a condition gives comes out of its regions.
    if (isa<RegionBranchOpInterface>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.back().getOperands(), follow);
  }
  return permuted && reshaped;
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
    std::optional<TTVersion> known = parseTTVersion(version);
    if (!known) {
      getOperation()->emitError("expects version 3.6 to 3.9, got ") << version;
      return signalPassFailure();
    }
    if (*known >= TTVersion::V3_9)
      return;
    getOperation()->walk([&](ReduceOp op) {
      OpBuilder b(op);
      for (OpOperand &operand : op->getOpOperands())
        if (cast<RankedTensorType>(operand.get().getType()).getRank() > 1 && isPermutedAndReshaped(operand.get()))
          operand.set(gatherItself(b, op.getLoc(), operand.get()));
    });
  }
};
} // namespace
