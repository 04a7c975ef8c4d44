//===- ReorderBroadcast.cpp - Elementwise ops before broadcasts -*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_REORDERBROADCASTPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

/// Returns `type` with the shape of `like`, or its element type if `like` is null.
Type reshaped(Type type, RankedTensorType like) {
  Type element = getElementTypeOrSelf(type);
  return like ? Type(RankedTensorType::get(like.getShape(), element)) : element;
}

/// Returns true for elementwise ops, and for assembly unless several elements share a register.
bool isElementwise(Operation *op) {
  auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op);
  return assembly ? assembly.getPackedElement() == 1 : op->hasTrait<mlir::OpTrait::Elementwise>();
}

bool isScalarSplat(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  return splat && !isa<RankedTensorType>(splat.getSrc().getType());
}

/// Computes an elementwise op on the sources of its broadcasts and splats, and broadcasts the result.
struct ElementwiseOnRepeated : RewritePattern {
  explicit ElementwiseOnRepeated(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->getNumRegions() != 0 || !isMemoryEffectFree(op) || op->getNumOperands() == 0 ||
        !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    RankedTensorType smaller;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        auto source = cast<RankedTensorType>(broadcast.getSrc().getType());
        if (smaller && smaller.getShape() != source.getShape())
          return rewriter.notifyMatchFailure(op, "blocks of two shapes");
        smaller = source;
      } else if (DenseElementsAttr constant;
                 !isScalarSplat(operand) && (!matchPattern(operand, m_Constant(&constant)) || !constant.isSplat())) {
        return rewriter.notifyMatchFailure(op, "an operand that is not repeated");
      }
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(beforeRepetition(rewriter, operand, smaller));
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addAttributes(llvm::to_vector(op->getAttrDictionary()));
    for (Type type : op->getResultTypes())
      state.addTypes(reshaped(type, smaller));
    Operation *computed = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip_equal(computed->getResults(), op->getResultTypes()))
      results.push_back(smaller ? BroadcastOp::create(rewriter, op->getLoc(), type, result).getResult()
                                : SplatOp::create(rewriter, op->getLoc(), type, result).getResult());
    rewriter.replaceOp(op, results);
    return success();
  }

  /// Returns an operand in the smaller shape, or as a scalar.
  static Value beforeRepetition(PatternRewriter &rewriter, Value operand, RankedTensorType smaller) {
    Type type = operand.getType();
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return broadcast.getSrc();
    if (auto splat = operand.getDefiningOp<SplatOp>())
      return smaller ? SplatOp::create(rewriter, operand.getLoc(), reshaped(type, smaller), splat.getSrc()).getResult()
                     : splat.getSrc();
    DenseElementsAttr constant;
    matchPattern(operand, m_Constant(&constant));
    auto one = cast<TypedAttr>(constant.getSplatValue<Attribute>());
    if (smaller)
      one = DenseElementsAttr::get(cast<ShapedType>(reshaped(type, smaller)), Attribute(one));
    return arith::ConstantOp::create(rewriter, operand.getLoc(), one);
  }
};

struct ReorderBroadcast : impl::ReorderBroadcastPassBase<ReorderBroadcast> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    BroadcastOp::getCanonicalizationPatterns(patterns, &getContext());
    ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<ElementwiseOnRepeated>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
