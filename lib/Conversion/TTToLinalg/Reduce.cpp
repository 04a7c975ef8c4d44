//===- Reduce.cpp - Lowering of gathers, and extremes in combine regions ---===//
//
// `tt.reduce`, `tt.scan` and `tt.histogram` stay ops of tt: a reduction of linalg needs an initial value, which a
// user's combine region does not have, and linalg has no scan. The vectorizer reads their regions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

//===-- NaN in searches for an extreme and its position ---------------------===//

namespace {
/// A combine region of `(value1, index1, value2, index2)` that selects the first pair if its value is larger (or
/// smaller), or if the values are equal and its index is smaller. The comparisons for equal values may be missing.
struct ExtremeSearch {
  Value condition, further, equal, before;
};
} // namespace

/// Returns true if `value` compares `x` and `y`, in any order, by one of `predicates`.
static bool comparesFloats(Value value, Value x, Value y, ArrayRef<arith::CmpFPredicate> predicates) {
  auto compare = value.getDefiningOp<arith::CmpFOp>();
  return compare && llvm::is_contained(predicates, compare.getPredicate()) &&
         ((compare.getLhs() == x && compare.getRhs() == y) || (compare.getLhs() == y && compare.getRhs() == x));
}

/// Matches `equal & before` of the region's values and indices.
static bool matchTie(Value tie, Block &region, ExtremeSearch &search) {
  auto both = tie.getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  for (unsigned side : {0, 1}) {
    search.equal = both->getOperand(side);
    search.before = both->getOperand(1 - side);
    auto before = search.before.getDefiningOp<arith::CmpIOp>();
    bool comparesIndices =
        before && before.getLhs() == region.getArgument(1) && before.getRhs() == region.getArgument(3);
    if (comparesIndices &&
        comparesFloats(search.equal, region.getArgument(0), region.getArgument(2), {arith::CmpFPredicate::OEQ}))
      return true;
  }
  return false;
}

static std::optional<ExtremeSearch> matchExtremeSearch(ReduceOp op) {
  Block &region = op->getRegion(0).front();
  if (region.getNumArguments() != 4 || !isa<FloatType>(region.getArgument(0).getType()) ||
      !isa<IntegerType>(region.getArgument(1).getType()))
    return std::nullopt;
  ExtremeSearch search;
  for (auto [position, result] : llvm::enumerate(region.getTerminator()->getOperands())) {
    auto select = result.getDefiningOp<arith::SelectOp>();
    if (!select || select.getTrueValue() != region.getArgument(position) ||
        select.getFalseValue() != region.getArgument(position + 2) ||
        (search.condition && search.condition != select.getCondition()))
      return std::nullopt;
    search.condition = select.getCondition();
  }
  auto isFurther = [&](Value value) {
    return comparesFloats(value, region.getArgument(0), region.getArgument(2),
                          {arith::CmpFPredicate::OGT, arith::CmpFPredicate::OLT});
  };
  search.further = search.condition;
  if (isFurther(search.condition))
    return search;
  auto either = search.condition.getDefiningOp<arith::OrIOp>();
  for (unsigned side : {0, 1})
    if (either && isFurther(either->getOperand(side)) && matchTie(either->getOperand(1 - side), region, search)) {
      search.further = either->getOperand(side);
      return search;
    }
  return std::nullopt;
}

/// Triton's combine functions of `argmax` and similar reductions select the second pair if either value is NaN, so that
/// the result depends on the order of combination. Changes them to ignore NaN: the first pair is also selected if only
/// the second value is NaN, and two NaNs are equal.
static void ignoreNaN(RewriterBase &b, const ExtremeSearch &search, Block &region) {
  b.setInsertionPointAfterValue(search.condition);
  Location loc = search.condition.getLoc();
  auto isNaN = [&](unsigned argument) -> Value {
    Value value = region.getArgument(argument);
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, value);
  };
  Value first = isNaN(0), second = isNaN(2);
  Value number = arith::XOrIOp::create(b, loc, first, arith::ConstantIntOp::create(b, loc, 1, 1));
  Value taken = arith::OrIOp::create(b, loc, search.further, arith::AndIOp::create(b, loc, second, number));
  if (search.equal) {
    Value bothNaN = arith::AndIOp::create(b, loc, first, second);
    Value equal = arith::OrIOp::create(b, loc, search.equal, bothNaN);
    taken = arith::OrIOp::create(b, loc, taken, arith::AndIOp::create(b, loc, equal, search.before));
  }
  for (Value result : region.getTerminator()->getOperands())
    result.getDefiningOp<arith::SelectOp>().getConditionMutable().assign(taken);
}

namespace {
struct SearchPassesOverNaN : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    std::optional<ExtremeSearch> search = matchExtremeSearch(op);
    if (!search)
      return rewriter.notifyMatchFailure(op, "no search for an extreme and its position");
    rewriter.modifyOpInPlace(op, [&] { ignoreNaN(rewriter, *search, op->getRegion(0).front()); });
    return success();
  }
};

//===-- Extremes ------------------------------------------------------------===//

/// Changes a combine region that selects the larger (or smaller) of two elements, or a NaN, to the op for it, which has
/// an identity: masked-off elements are then skipped. The sign of a zero result is not defined in either form.
struct SelectToExtreme : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    Block &region = op->getRegion(0).front();
    auto select = region.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!select || region.getNumArguments() != 2 || select.getTrueValue() != region.getArgument(0) ||
        select.getFalseValue() != region.getArgument(1))
      return rewriter.notifyMatchFailure(op, "does not select one of two elements");
    rewriter.setInsertionPoint(select);
    Value extreme = makeExtreme(rewriter, select);
    if (!extreme)
      return rewriter.notifyMatchFailure(op, "does not select an extreme");
    rewriter.modifyOpInPlace(op, [&] {
      rewriter.replaceOp(select, extreme);
      for (Operation &dead : llvm::make_early_inc_range(llvm::reverse(region)))
        if (isOpTriviallyDead(&dead))
          rewriter.eraseOp(&dead);
    });
    return success();
  }

private:
  static Value makeExtreme(OpBuilder &b, arith::SelectOp select);
};

} // namespace

/// Returns the op that computes `select`, null if it selects no extreme of its operands.
Value SelectToExtreme::makeExtreme(OpBuilder &b, arith::SelectOp select) {
  Location loc = select.getLoc();
  Value first = select.getTrueValue(), second = select.getFalseValue();
  if (auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>()) {
    if (compare.getLhs() != first || compare.getRhs() != second)
      return {};
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::sgt:
      return arith::MaxSIOp::create(b, loc, first, second);
    case arith::CmpIPredicate::slt:
      return arith::MinSIOp::create(b, loc, first, second);
    case arith::CmpIPredicate::ugt:
      return arith::MaxUIOp::create(b, loc, first, second);
    case arith::CmpIPredicate::ult:
      return arith::MinUIOp::create(b, loc, first, second);
    default:
      return {};
    }
  }
  auto either = select.getCondition().getDefiningOp<arith::OrIOp>();
  for (unsigned side : {0, 1}) {
    auto further = either ? either->getOperand(side).getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
    if (!further || further.getLhs() != first || further.getRhs() != second ||
        !comparesFloats(either->getOperand(1 - side), first, first, {arith::CmpFPredicate::UNE}))
      continue;
    if (further.getPredicate() == arith::CmpFPredicate::OGT)
      return arith::MaximumFOp::create(b, loc, first, second);
    if (further.getPredicate() == arith::CmpFPredicate::OLT)
      return arith::MinimumFOp::create(b, loc, first, second);
  }
  return {};
}

namespace {

//===-- Gathers -------------------------------------------------------------===//

struct GatherToGeneric : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    auto generic = createGeneric(
        rewriter, op.getLoc(), type, op.getIndices(), identity, [&](OpBuilder &b, Location loc, ValueRange scalars) {
          SmallVector<Value> position;
          for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
            position.push_back(linalg::IndexOp::create(b, loc, dim));
          // Indices are taken modulo the extent, because memory outside of the buffer must not be read. They are
          // unsigned: no valid index is negative.
          Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), scalars[0]);
          Value extent = arith::ConstantIndexOp::create(b, loc, op.getSrc().getType().getDimSize(op.getAxis()));
          position[op.getAxis()] = arith::RemUIOp::create(b, loc, index, extent);
          Value element = tensor::ExtractOp::create(b, loc, op.getSrc(), position);
          linalg::YieldOp::create(b, loc, element);
        });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void populateReduceToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherToGeneric, SearchPassesOverNaN, SelectToExtreme>(patterns.getContext());
}

} // namespace blockdsl
