//===- Elementwise.cpp - Lowering of elementwise ops to linalg.map ---------===//
//
// One pattern for arith, math and tt: an elementwise op on blocks becomes `linalg.map` over the same op on scalars. The
// scalar op is lowered later, for scalars and vectors together.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace blockdsl {

Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
}

linalg::GenericOp createGeneric(OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
                                ArrayRef<AffineMap> inputMaps, BodyBuilder body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, type, inputs, createEmpty(builder, loc, type), maps, iterators, body);
}

void createEffects(OpBuilder &builder, Location loc, ValueRange inputs, BodyBuilder body) {
  int64_t rank = cast<RankedTensorType>(inputs.front().getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size(), builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(builder, loc, TypeRange{}, inputs, ValueRange{}, maps, iterators,
                            [&](OpBuilder &b, Location l, ValueRange scalars) {
                              body(b, l, scalars);
                              linalg::YieldOp::create(b, l, ValueRange{});
                            });
}

Operation *cloneAsScalar(OpBuilder &builder, Operation *op, ValueRange scalars) {
  IRMapping mapping;
  unsigned next = 0;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand, scalars[next++]);
  Operation *clone = builder.clone(*op, mapping);
  for (Value result : clone->getResults())
    result.setType(getElementTypeOrSelf(result.getType()));
  return clone;
}

namespace {

/// Returns the distinct block operands of `op`, in order: the inputs of the linalg op that replaces it.
SmallVector<Value> blockOperands(Operation *op) {
  llvm::SmallSetVector<Value, 4> blocks;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      blocks.insert(operand);
  return blocks.takeVector();
}

/// Lowers elementwise ops of any dialect with one block result.
struct ElementwiseToMap : RewritePattern {
  explicit ElementwiseToMap(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<mlir::OpTrait::Elementwise>() || op->getNumRegions() != 0 || op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "already on scalars");
    auto map =
        linalg::MapOp::create(rewriter, op->getLoc(), blockOperands(op), createEmpty(rewriter, op->getLoc(), type),
                              [&](OpBuilder &b, Location loc, ValueRange scalars) {
                                Operation *scalar = cloneAsScalar(b, op, scalars);
                                linalg::YieldOp::create(b, loc, scalar->getResults());
                              });
    rewriter.replaceOp(op, map->getResults());
    return success();
  }
};

/// Lowers `tt.map_elementwise` whose region takes one element of each block.
struct MapElementwiseToGeneric : OpRewritePattern<MapElementwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapElementwiseOp op, PatternRewriter &rewriter) const override {
    assert(op.getPack() == 1 && "several elements at a time are unpacked first");
    if (!op.getScalarOp().hasOneBlock())
      return rewriter.notifyMatchFailure(op, "branches are structured first");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> empties;
    for (Type result : op.getResultTypes())
      empties.push_back(createEmpty(rewriter, op.getLoc(), cast<RankedTensorType>(result)));
    SmallVector<AffineMap> maps(op->getNumOperands() + empties.size(), rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto generic =
        linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), op->getOperands(), empties, maps,
                                  iterators, [&](OpBuilder &b, Location loc, ValueRange scalars) {
                                    IRMapping mapping;
                                    Block &block = op.getScalarOp().front();
                                    mapping.map(block.getArguments(), scalars.take_front(block.getNumArguments()));
                                    for (Operation &inner : block.without_terminator())
                                      b.clone(inner, mapping);
                                    SmallVector<Value> yielded;
                                    for (Value value : block.getTerminator()->getOperands())
                                      yielded.push_back(mapping.lookupOrDefault(value));
                                    linalg::YieldOp::create(b, loc, yielded);
                                  });
    rewriter.replaceOp(op, generic->getResults());
    return success();
  }
};

} // namespace

void populateElementwiseToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ElementwiseToMap, MapElementwiseToGeneric>(patterns.getContext());
}

} // namespace blockdsl
