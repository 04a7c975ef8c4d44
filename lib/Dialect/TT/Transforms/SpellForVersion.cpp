//===- SpellForVersion.cpp - Expansion of ops that a Triton version lacks -===//
// The printer handles differences in spelling. This pass replaces ops that have no equivalent in an older version.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_SPELLFORVERSIONPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Rewrites -x to -0.0 - x, which is exact, including for zeros.
static void subtract(arith::NegFOp op) {
  OpBuilder b(op);
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  TypedAttr zero = b.getFloatAttr(element, APFloat::getZero(element.getFloatSemantics(), /*Negative=*/true));
  if (auto block = dyn_cast<ShapedType>(op.getType()))
    zero = DenseElementsAttr::get(block, zero);
  Value from = arith::ConstantOp::create(b, op.getLoc(), zero);
  op.replaceAllUsesWith(arith::SubFOp::create(b, op.getLoc(), from, op.getOperand(), op.getFastmathAttr()).getResult());
  op.erase();
}

static bool isBetweenHalves(FpToFpOp op) {
  Type from = getElementTypeOrSelf(op.getSrc().getType()), to = getElementTypeOrSelf(op.getType());
  return (from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16());
}

static void convertThroughF32(FpToFpOp op) {
  OpBuilder b(op);
  Type wide = b.getF32Type();
  if (auto block = dyn_cast<ShapedType>(op.getType()))
    wide = block.clone(wide);
  Value widened = arith::ExtFOp::create(b, op.getLoc(), wide, op.getSrc());
  op.replaceAllUsesWith(arith::TruncFOp::create(b, op.getLoc(), op.getType(), widened).getResult());
  op.erase();
}

/// Returns true if Triton may emit a call of an LLVM intrinsic that does not exist.
static bool mayLackIntrinsic(ClampFOp op, bool isEarly) {
  Type element = getElementTypeOrSelf(op.getType());
  return element.isF64() || (element.isBF16() && isEarly);
}

static void clampInTwoSteps(ClampFOp op) {
  OpBuilder b(op);
  Value result;
  if (op.getPropagateNan() == PropagateNan::All) {
    result = arith::MaximumFOp::create(b, op.getLoc(), op.getX(), op.getMin());
    result = arith::MinimumFOp::create(b, op.getLoc(), result, op.getMax());
  } else {
    result = arith::MaxNumFOp::create(b, op.getLoc(), op.getX(), op.getMin());
    result = arith::MinNumFOp::create(b, op.getLoc(), result, op.getMax());
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct SpellForVersion : blockdsl::impl::SpellForVersionPassBase<SpellForVersion> {
  using SpellForVersionPassBase::SpellForVersionPassBase;

  void runOnOperation() override {
    std::optional<TTVersion> known = parseTTVersion(version, getOperation());
    if (!known)
      return signalPassFailure();
    bool isEarly = *known < TTVersion::V3_9;
    getOperation()->walk([&](Operation *op) {
      if (auto clamp = dyn_cast<ClampFOp>(op); clamp && mayLackIntrinsic(clamp, isEarly))
        clampInTwoSteps(clamp);
      else if (auto negation = dyn_cast<arith::NegFOp>(op); negation && isEarly)
        subtract(negation);
      else if (auto conversion = dyn_cast<FpToFpOp>(op); conversion && isEarly && isBetweenHalves(conversion))
        convertThroughF32(conversion);
    });
  }
};
} // namespace
