//===- Debug.cpp - Lowering of assertions and prints -----------------------===//
//
// A print of several operands, whose shapes may differ, becomes one print for each. A print of a block prints each
// element with its indices.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "blockdsl/Dialect/TT/IR/PrintedExtents.h"

using namespace mlir;

namespace blockdsl {
namespace {

struct AssertToGeneric : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssertOp op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getCondition().getType()))
      return rewriter.notifyMatchFailure(op, "already on a scalar");
    createEffects(rewriter, op.getLoc(), op.getCondition(),
                  [&](OpBuilder &b, Location, ValueRange scalars) { cloneAsScalar(b, op, scalars); });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Returns the prefix of an operand; several operands are numbered as by Triton's back ends.
static StringAttr prefixOf(PrintOp op, size_t operand) {
  if (op.getArgs().size() == 1)
    return op.getPrefixAttr();
  return StringAttr::get(op.getContext(), op.getPrefix() + "(operand " + Twine(operand) + ") ");
}

/// Returns the indices of the element that the body of a linalg op computes.
static SmallVector<Value> elementIndices(OpBuilder &b, Location loc, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    Value index = linalg::IndexOp::create(b, loc, dimension);
    indices.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(), index));
  }
  return indices;
}

/// Returns true for a pointer or a block of pointers.
static bool isPointer(Value value) { return isa<PtrType>(getElementTypeOrSelf(value.getType())); }

/// Creates a print of a scalar, or of an element followed by its indices. Pointers are printed in hexadecimal.
static PrintOp createPrint(OpBuilder &b, Location loc, PrintOp op, size_t operand, ValueRange scalars) {
  SmallVector<Value> values(scalars);
  bool isAddress = isPointer(values.front());
  if (isAddress)
    values.front() = PtrToIntOp::create(b, loc, b.getI64Type(), values.front());
  SmallVector<int32_t> isSigned(values.size(), 0);
  isSigned.front() = op.getIsSigned()[operand];
  return PrintOp::create(b, loc, prefixOf(op, operand), b.getBoolAttr(op.getHex() || isAddress), values,
                         b.getDenseI32ArrayAttr(isSigned));
}

struct PrintToGeneric : OpRewritePattern<PrintOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PrintOp op, PatternRewriter &rewriter) const override {
    bool isNumber =
        op.getArgs().size() == 1 && !isa<RankedTensorType>(op.getArgs()[0].getType()) && !isPointer(op.getArgs()[0]);
    if (op->hasAttr(kPrintedExtents) || op.getArgs().empty() || isNumber)
      return rewriter.notifyMatchFailure(op, "already a number");
    for (auto [operand, value] : llvm::enumerate(op.getArgs())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type) {
        createPrint(rewriter, op.getLoc(), op, operand, value);
        continue;
      }
      createEffects(rewriter, op.getLoc(), value,
                    [&, operand = operand](OpBuilder &b, Location loc, ValueRange elements) {
                      SmallVector<Value> scalars(elements);
                      llvm::append_range(scalars, elementIndices(b, loc, type.getRank()));
                      createPrint(b, loc, op, operand, scalars)
                          ->setAttr(kPrintedExtents, b.getDenseI64ArrayAttr(type.getShape()));
                    });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Erases barriers, because a program is one thread here, and waits for previous launches, which run one after another.
struct DropOrder : RewritePattern {
  DropOrder(StringRef name, MLIRContext *context) : RewritePattern(name, /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateDebugToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<AssertToGeneric, PrintToGeneric>(patterns.getContext());
  // Triton 3.6 and later versions print barriers with different names.
  const StringRef names[] = {"gpu.barrier", "ttg.barrier", GridDependencyWaitOp::getOperationName(),
                             GridDependencyLaunchDependentsOp::getOperationName()};
  for (StringRef name : names)
    patterns.add<DropOrder>(name, patterns.getContext());
}

} // namespace blockdsl
