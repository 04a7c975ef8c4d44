//===- FoldFlips.cpp - Folding of exchange chains to reversing gathers ----===//
// Triton has no op that reverses a block: `flip` reshapes a dimension to one dimension per index bit and exchanges the
// halves of each. Exchanges among other ops are flattened in Exchanges.cpp.
//===----------------------------------------------------------------------===//
#include "Exchanges.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <set>

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_FOLDFLIPSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

static ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

namespace {
struct FlipOfReshaped : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    // Follow the chain to its source, and collect the axes whose halves are exchanged.
    Value block = op.getSrc();
    std::set<int64_t> axes;
    while (auto either = block.getDefiningOp<arith::XOrIOp>()) {
      std::optional<Exchange> exchange = matchExchange(either);
      if (exchange)
        block = exchange->block;
      if (!exchange || !axes.insert(exchange->axis).second)
        break;
    }
    if (axes.empty() || block.getDefiningOp<arith::XOrIOp>())
      return rewriter.notifyMatchFailure(op, "its source is no chain of exchanges");
    // Inverting all bits of an index reverses the dimension.
    ArrayRef<int64_t> bits = shapeOf(block), shape = op.getType().getShape();
    int64_t first = *axes.begin(), count = axes.size();
    bool fits = *axes.rbegin() - first + 1 == count && first < static_cast<int64_t>(shape.size()) &&
                shape[first] == int64_t(1) << count && shape.take_front(first) == bits.take_front(first) &&
                shape.drop_front(first + 1) == bits.drop_front(first + count);
    if (!fits)
      return rewriter.notifyMatchFailure(op, "the exchanged axes are no whole dimension of the result");
    rewriter.replaceOp(op, createReversed(rewriter, op, block, first));
    return success();
  }

  static Value createReversed(PatternRewriter &b, ReshapeOp op, Value block, int64_t axis) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t size = type.getDimSize(axis);
    auto indexType = RankedTensorType::get({size}, b.getI32Type());
    Value range = MakeRangeOp::create(b, loc, indexType, 0, size);
    Value last = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(indexType, b.getI32IntegerAttr(size - 1)));
    Value index = arith::SubIOp::create(b, loc, last, range);
    SmallVector<int64_t> extents(type.getRank(), 1);
    extents[axis] = size;
    if (type.getRank() != 1) {
      index = ReshapeOp::create(b, loc, indexType.clone(extents), index, /*allow_reorder=*/false,
                                /*efficient_layout=*/false);
      index = BroadcastOp::create(b, loc, indexType.clone(type.getShape()), index);
    }
    Value source = ReshapeOp::create(b, loc, type, block, /*allow_reorder=*/false, /*efficient_layout=*/false);
    return GatherOp::create(b, loc, type, source, index, axis, /*efficient_layout=*/false);
  }
};

struct FoldFlips : blockdsl::impl::FoldFlipsPassBase<FoldFlips> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FlipOfReshaped>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // The remaining exchanges belong to networks.
    flattenExchanges(getOperation());
  }
};
} // namespace
