//===- AddToDot.h - Pattern that makes an addend the accumulator of a dot -===//

#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ADDTODOT_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ADDTODOT_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace blockdsl {

inline bool isBounded(DotOp dot) { return dot.getMaxNumImpreciseAcc() != 0; }
inline bool isBounded(DotScaledOp) { return false; }

/// Rewrites dot(a, b, 0) + c to dot(a, b, c), unless the dot has other uses and would be computed twice.
template <typename AddOp, typename Dot> struct AddToDot : mlir::OpRewritePattern<AddOp> {
  using mlir::OpRewritePattern<AddOp>::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(AddOp op, mlir::PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      mlir::Value sum = isLeft ? op.getLhs() : op.getRhs(), other = isLeft ? op.getRhs() : op.getLhs();
      auto dot = sum.getDefiningOp<Dot>();
      if (!dot || !dot->hasOneUse() || isBounded(dot))
        continue;
      if (!mlir::matchPattern(dot.getC(), mlir::m_Zero()) && !mlir::matchPattern(dot.getC(), mlir::m_AnyZeroFloat()))
        continue;
      rewriter.modifyOpInPlace(dot, [&] { dot.getCMutable().assign(other); });
      // The accumulator may come after the dot.
      rewriter.moveOpBefore(dot, op);
      rewriter.replaceOp(op, dot);
      return mlir::success();
    }
    return rewriter.notifyMatchFailure(op, "no dot without an accumulator");
  }
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ADDTODOT_H
