//===- MaskBounds.h - Loop bounds in a mask --------------------------------===//
//
// A mask that compares indices with a bound restricts loops to an interval of iterations. This finds the comparisons
// and the loops that they bound; the emitter computes the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_MASKBOUNDS_H
#define BLOCKDSL_PLAN_MASKBOUNDS_H

#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Plan/NestConfig.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

/// A comparison of a mask that bounds a loop.
struct MaskBound {
  enum class Kind {
    Below, ///< the loop ends at the first index for which the comparison is false
    From,  ///< the loop starts at the first index for which it is true
    Whole, ///< it is the same for all indices: the loop runs completely or not at all
  };
  Kind kind;
  unsigned loop;
  mlir::linalg::LinalgOp op;
  mlir::arith::CmpIOp compare;
  bool growsRight = false; ///< the right-hand side grows with the index, not the left-hand side
  bool orEqual = false, isSigned = false;
};

/// The loops that a part of a mask depends on, and the loops whose bounds skip iterations where it is false.
struct MaskLoops {
  llvm::SmallVector<bool, 4> dependsOn, heldBy;
};

/// A part of a mask that is true within the bounds.
struct MaskPart {
  View view;
  MaskLoops loops;
};

/// The dimensions whose loops a mask bounds.
struct BoundedDims {
  llvm::SmallVector<int64_t, 4> below, from;

  /// Returns the dimensions of bounds of this kind.
  llvm::SmallVector<int64_t, 4> &get(MaskBound::Kind kind) { return kind == MaskBound::Kind::From ? from : below; }
  bool contains(const MaskBound &bound) const {
    return llvm::is_contained(bound.kind == MaskBound::Kind::From ? from : below, bound.loop);
  }
  bool empty() const { return below.empty() && from.empty(); }
};

/// Returns true if an integer of a mask does not wrap in any iteration of the loops of `op`, so that its elements are
/// in order.
using NeverWrapsFn = llvm::function_ref<bool(mlir::linalg::LinalgOp op, mlir::Value scalar, bool isSigned)>;

/// Finds the bounds of the `allowed` loops of a nest in `mask`, a block of its shape that is a conjunction of
/// comparisons. `add` uses a bound, or returns false if the loop cannot have it. Returns the parts of the mask that are
/// true within the bounds.
llvm::SmallVector<MaskPart> findMaskBounds(PointerAnalysis &pointers, mlir::Value mask, llvm::ArrayRef<int64_t> shape,
                                           llvm::ArrayRef<bool> allowed, IsInMemoryFn isInMemory,
                                           NeverWrapsFn neverWraps,
                                           llvm::function_ref<bool(const MaskBound &bound)> add);

/// Returns the loops of a nest or of a matmul that its mask can bound, in the version in which its numbers do not wrap.
BoundedDims findBoundedDims(PointerAnalysis &pointers, const FusionGroup &group);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MASKBOUNDS_H
