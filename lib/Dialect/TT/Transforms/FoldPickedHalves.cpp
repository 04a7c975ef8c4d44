//===- FoldPickedHalves.cpp - Folding of sums with 0/1 weights to splits --===//
// Triton has no op that extracts elements at a constant index, so users multiply by 0 and 1, and sum up.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_FOLDPICKEDHALVESPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns the value of all elements of `block` whose index along `axis` is `index`, or null if it is unknown. Visits
/// at most `left` ops, because shared operands are visited once for each use. Weights are computed by a few ops.
static IntegerAttr elementAt(Value block, int64_t axis, int64_t index, unsigned &left) {
  if (left == 0)
    return {};
  --left;
  auto type = cast<RankedTensorType>(block.getType());
  DenseIntElementsAttr splat;
  if (matchPattern(block, m_Constant(&splat)))
    return splat.isSplat() ? splat.getSplatValue<IntegerAttr>() : IntegerAttr();
  Operation *op = block.getDefiningOp();
  if (!op)
    return {};
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return axis == 0 ? IntegerAttr::get(type.getElementType(), range.getStart() + index) : IntegerAttr();
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    bool isRepeated = cast<RankedTensorType>(broadcast.getSrc().getType()).getDimSize(axis) == 1;
    return elementAt(broadcast.getSrc(), axis, isRepeated ? 0 : index, left);
  }
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    return axis == added ? IntegerAttr() : elementAt(expand.getSrc(), axis - (added < axis ? 1 : 0), index, left);
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !op->hasTrait<mlir::OpTrait::Elementwise>())
    return {};
  // Calls the folder of the elementwise op on splats of the operands' elements.
  SmallVector<Attribute> elements;
  for (Value operand : op->getOperands()) {
    IntegerAttr element =
        isa<RankedTensorType>(operand.getType()) ? elementAt(operand, axis, index, left) : IntegerAttr();
    if (!element)
      return {};
    elements.push_back(DenseElementsAttr::get(cast<ShapedType>(operand.getType()), Attribute(element)));
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(elements, folded)) || folded.size() != 1)
    return {};
  if (auto same = dyn_cast<Value>(folded[0]))
    return elementAt(same, axis, index, left);
  auto result = dyn_cast<DenseIntElementsAttr>(cast<Attribute>(folded[0]));
  return result && result.isSplat() ? result.getSplatValue<IntegerAttr>() : IntegerAttr();
}

/// Returns the index along `axis`, 0 or 1, at which the weights are 1, if they are 0 at the other one.
static std::optional<unsigned> pickedBy(Value weights, int64_t axis) {
  unsigned left = 64;
  IntegerAttr first = elementAt(weights, axis, 0, left);
  IntegerAttr second = first ? elementAt(weights, axis, 1, left) : IntegerAttr();
  if (!second)
    return std::nullopt;
  if (first.getValue().isOne() && second.getValue().isZero())
    return 0;
  if (first.getValue().isZero() && second.getValue().isOne())
    return 1;
  return std::nullopt;
}

namespace {
struct SplitOfSum : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    int64_t axis = op.getAxis();
    auto summed = cast<RankedTensorType>(op->getOperand(0).getType());
    if (op->getNumOperands() != 1 || summed.getRank() < 2 || summed.getDimSize(axis) != 2 ||
        !isa_and_nonnull<arith::AddIOp>(getSimpleCombiner(op->getRegion(0))))
      return rewriter.notifyMatchFailure(op, "no sum of two blocks");
    // Triton's `sum` widens its operand. A product with 0 or 1 may be widened before or after the multiplication.
    Value product = op->getOperand(0);
    SmallVector<Operation *> casts;
    while (Operation *cast = product.getDefiningOp()) {
      if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(cast))
        break;
      casts.push_back(cast);
      product = cast->getOperand(0);
    }
    auto multiply = product.getDefiningOp<arith::MulIOp>();
    if (!multiply)
      return rewriter.notifyMatchFailure(op, "the summed block is no product");
    std::optional<unsigned> half = pickedBy(multiply.getRhs(), axis);
    Value block = half ? multiply.getLhs() : multiply.getRhs();
    if (!half)
      half = pickedBy(multiply.getLhs(), axis);
    if (!half)
      return rewriter.notifyMatchFailure(op, "no factor is known to be 0 at one index and 1 at the other");
    Location loc = op.getLoc();
    SmallVector<int32_t> order;
    for (int64_t dim : llvm::seq(summed.getRank()))
      if (dim != axis)
        order.push_back(dim);
    order.push_back(axis);
    if (axis + 1 != summed.getRank())
      block = TransOp::create(rewriter, loc, block, order);
    Value picked = SplitOp::create(rewriter, loc, block)->getResult(*half);
    for (Operation *cast : llvm::reverse(casts)) {
      Type type = llvm::cast<RankedTensorType>(picked.getType()).clone(getElementTypeOrSelf(cast->getResult(0)));
      picked = rewriter.create(cast->getLoc(), cast->getName().getIdentifier(), picked, type)->getResult(0);
    }
    rewriter.replaceOp(op, picked);
    return success();
  }
};

/// bitcast(reshape(bitcast x)) -> reshape(x). Networks select floats as integers, and convert them between steps.
struct BitsOfReshapedBits : OpRewritePattern<BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BitcastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getSrc().getDefiningOp<ReshapeOp>();
    auto inner = reshape ? reshape.getSrc().getDefiningOp<BitcastOp>() : BitcastOp();
    if (!inner || getElementTypeOrSelf(inner.getSrc().getType()) != getElementTypeOrSelf(op.getType()))
      return rewriter.notifyMatchFailure(op, "its source is no reshaped block of the type that it gives");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(), reshape.getAllowReorder(),
                                           reshape.getEfficientLayout());
    return success();
  }
};

struct FoldPickedHalves : blockdsl::impl::FoldPickedHalvesPassBase<FoldPickedHalves> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<BitsOfReshapedBits, SplitOfSum>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
