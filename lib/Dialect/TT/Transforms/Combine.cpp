//===- Combine.cpp - Peephole patterns of triton-combine --------*- C++ -*-===//
#include "AddToDot.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_COMBINEPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

/// select(c, load(p, splat c), y) -> load(p, splat c, y), if y dominates the load. The load does not move, because a
/// store may follow it.
struct SelectOfMaskedLoad : OpRewritePattern<arith::SelectOp> {
  explicit SelectOfMaskedLoad(MLIRContext *context, DominanceInfo &dominance)
      : OpRewritePattern(context), dominance(dominance) {}

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load.getMask() || !load->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no masked load for it alone");
    auto splat = load.getMask().getDefiningOp<SplatOp>();
    if (!splat || splat.getSrc() != op.getCondition())
      return rewriter.notifyMatchFailure(op, "another mask");
    if (!dominance.properlyDominates(op.getFalseValue(), load))
      return rewriter.notifyMatchFailure(op, "the other value comes after the load");
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(op.getFalseValue()); });
    rewriter.replaceOp(op, load);
    return success();
  }

  DominanceInfo &dominance;
};

/// (p + m) + n -> p + (m + n), if the sum of the offsets does not wrap.
struct AddPtrOfAddPtr : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto first = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!first || first.getOffset().getType() != op.getOffset().getType())
      return rewriter.notifyMatchFailure(op, "not two offsets of a type");
    APInt m, n;
    bool wraps = true;
    if (matchPattern(first.getOffset(), m_ConstantInt(&m)) && matchPattern(op.getOffset(), m_ConstantInt(&n)))
      (void)m.sadd_ov(n, wraps);
    // Sums of 64 bits may wrap, because addresses wrap too.
    if (wraps && getElementTypeOrSelf(op.getOffset()).getIntOrFloatBitWidth() != 64)
      return rewriter.notifyMatchFailure(op, "the sum may wrap");
    Value sum = arith::AddIOp::create(rewriter, op.getLoc(), first.getOffset(), op.getOffset());
    auto moved = AddPtrOp::create(rewriter, op.getLoc(), op.getType(), first.getPtr(), sum);
    // The hints about the address still hold.
    for (StringRef hint : {"tt.contiguity", "tt.constancy", "tt.divisibility"})
      if (Attribute value = op->getDiscardableAttr(hint))
        moved->setDiscardableAttr(hint, value);
    rewriter.replaceOp(op, moved);
    return success();
  }
};

/// Returns the source of the broadcast that repeats a matrix along `axis` of `value`, or null. The source has extent 1
/// there.
Value getRepeated(Value value, int64_t axis) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return Value();
  SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
  shape[axis] = 1;
  ArrayRef<int64_t> repeated = cast<RankedTensorType>(broadcast.getSrc().getType()).getShape();
  return repeated == ArrayRef(shape) ? broadcast.getSrc() : Value();
}

/// sum(x[:, :, None] * y[None, :, :], 1) -> dot(x, y)
struct SumOfProducts : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (op->getNumOperands() != 1 || op.getAxis() != 1 || !type || type.getRank() != 2 || !isSum(op))
      return rewriter.notifyMatchFailure(op, "no sum along the middle");
    // Smaller dots are not faster on GPUs.
    if (!type.getElementType().isF32() || type.getDimSize(0) < 16 || type.getDimSize(1) < 16)
      return rewriter.notifyMatchFailure(op, "no large product of f32");
    auto product = op->getOperand(0).getDefiningOp<arith::MulFOp>();
    Value x = product ? getRepeated(product.getLhs(), 2) : Value();
    Value y = product ? getRepeated(product.getRhs(), 0) : Value();
    if (!x || !y)
      return rewriter.notifyMatchFailure(op, "no product of matrices");
    int64_t inner = cast<RankedTensorType>(product.getType()).getDimSize(1);
    auto asMatrix = [&](Value repeated, ArrayRef<int64_t> shape) {
      return ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), repeated).getResult();
    };
    Value lhs = asMatrix(x, {type.getDimSize(0), inner}), rhs = asMatrix(y, {inner, type.getDimSize(1)});
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    rewriter.replaceOpWithNewOp<DotOp>(op, type, lhs, rhs, zero, InputPrecision::IEEE, /*maxNumImpreciseAcc=*/0);
    return success();
  }

  static bool isSum(ReduceOp op) {
    Block &body = op->getRegion(0).front();
    auto sum = dyn_cast<arith::AddFOp>(body.front());
    return op->getRegion(0).hasOneBlock() && sum && body.getTerminator()->getOperand(0) == sum.getResult() &&
           llvm::is_contained(body.getArguments(), sum.getLhs()) &&
           llvm::is_contained(body.getArguments(), sum.getRhs()) && sum.getLhs() != sum.getRhs();
  }
};

/// reshape(x) -> reshape(x) allow_reorder, if every user is a reduction or histogram of this block alone. A second
/// operand or a mask corresponds to it element by element, and fixes the order.
struct ReshapeInAnyOrder : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    bool isOrdered = op.getType().getRank() != 1 || !llvm::all_of(op->getUsers(), [](Operation *user) {
                       return isa<ReduceOp, HistogramOp>(user) && user->getNumOperands() == 1;
                     });
    if (op.getAllowReorder() || op->use_empty() || isOrdered)
      return rewriter.notifyMatchFailure(op, "its order matters");
    rewriter.modifyOpInPlace(op, [&] { op.setAllowReorder(true); });
    return success();
  }
};

/// A block without leading dimensions of size 1 can be loaded as it is.
struct LoadOfFewerDimensions : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto load = op.getSrc().getDefiningOp<DescriptorLoadOp>();
    if (!load || !load->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no load for it alone");
    ArrayRef<int64_t> loaded = cast<RankedTensorType>(load.getType()).getShape(), shape = op.getType().getShape();
    if (shape.size() >= loaded.size() || loaded.take_back(shape.size()) != shape ||
        !llvm::all_of(loaded.drop_back(shape.size()), [](int64_t size) { return size == 1; }))
      return rewriter.notifyMatchFailure(op, "more than leading ones are left out");
    rewriter.modifyOpInPlace(load, [&] { load.getResult().setType(op.getType()); });
    rewriter.replaceOp(op, load);
    return success();
  }
};

struct Combine : impl::CombinePassBase<Combine> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddToDot<arith::AddFOp, DotOp>, AddToDot<arith::AddFOp, DotScaledOp>, AddToDot<arith::AddIOp, DotOp>,
                 AddPtrOfAddPtr, SumOfProducts, ReshapeInAnyOrder, LoadOfFewerDimensions>(&getContext());
    DominanceInfo dominance(getOperation());
    patterns.add<SelectOfMaskedLoad>(&getContext(), dominance);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
