//===- Combine.cpp - ops that say together what one op says -----*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_COMBINEPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

bool isBounded(DotOp dot) { return dot.getMaxNumImpreciseAcc() != 0; }
bool isBounded(DotScaledOp) { return false; }

/// dot(a, b, 0) + c = dot(a, b, c). The product is not kept for others: it would be made twice.
template <typename AddOp, typename Product> struct AddToProduct : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      Value product = isLeft ? op.getLhs() : op.getRhs(), other = isLeft ? op.getRhs() : op.getLhs();
      auto dot = product.getDefiningOp<Product>();
      if (!dot || !dot->hasOneUse() || isBounded(dot))
        continue;
      if (!matchPattern(dot.getC(), m_Zero()) && !matchPattern(dot.getC(), m_AnyZeroFloat()))
        continue;
      rewriter.modifyOpInPlace(dot, [&] { dot.getCMutable().assign(other); });
      // The accumulator may come after the product.
      rewriter.moveOpBefore(dot, op);
      rewriter.replaceOp(op, dot);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no product without accumulator");
  }
};

/// select(mask, load(p, mask), y) = load(p, mask, y), whether or not the mask is one for all elements.
struct SelectOfMaskedLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load.getMask() || !load->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no masked load for it alone");
    auto splat = load.getMask().getDefiningOp<SplatOp>();
    if (op.getCondition() != load.getMask() && (!splat || splat.getSrc() != op.getCondition()))
      return rewriter.notifyMatchFailure(op, "another mask");
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(op.getFalseValue()); });
    rewriter.moveOpBefore(load, op);
    rewriter.replaceOp(op, load);
    return success();
  }
};

/// (p + m) + n = p + (m + n), where the sum of the offsets does not wrap.
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
    // Addresses wrap at 64 bits themselves.
    if (wraps && getElementTypeOrSelf(op.getOffset()).getIntOrFloatBitWidth() != 64)
      return rewriter.notifyMatchFailure(op, "the sum may wrap");
    Value sum = arith::AddIOp::create(rewriter, op.getLoc(), first.getOffset(), op.getOffset());
    auto moved = AddPtrOp::create(rewriter, op.getLoc(), op.getType(), first.getPtr(), sum);
    // What is promised of the address stays true.
    for (StringRef hint : {"tt.contiguity", "tt.constancy", "tt.divisibility"})
      if (Attribute promise = op->getDiscardableAttr(hint))
        moved->setDiscardableAttr(hint, promise);
    rewriter.replaceOp(op, moved);
    return success();
  }
};

/// The matrix that `value` repeats along `axis` of three dimensions, if it does.
Value repeatedMatrix(Value value, unsigned axis) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto expand = broadcast ? broadcast.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  return expand && expand.getAxis() == axis ? expand.getSrc() : Value();
}

/// sum(x[:, :, None] * y[None, :, :], 1) = dot(x, y)
struct SumOfProducts : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 1 || op.getAxis() != 1 || !isSum(op))
      return rewriter.notifyMatchFailure(op, "no sum along the middle");
    auto product = op->getOperand(0).getDefiningOp<arith::MulFOp>();
    Value x = product ? repeatedMatrix(product.getLhs(), 2) : Value();
    Value y = product ? repeatedMatrix(product.getRhs(), 0) : Value();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!x || !y || !type || !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no product of matrices");
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    rewriter.replaceOpWithNewOp<DotOp>(op, type, x, y, zero, InputPrecision::IEEE, /*maxNumImpreciseAcc=*/0);
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

struct Combine : impl::CombinePassBase<Combine> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddToProduct<arith::AddFOp, DotOp>, AddToProduct<arith::AddFOp, DotScaledOp>,
                 AddToProduct<arith::AddIOp, DotOp>, AddPtrOfAddPtr, SelectOfMaskedLoad, SumOfProducts>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
