//===- Masks.h - Masks as loop bounds --------------------------------------===//
//
// A mask that compares a range with a bound is an interval of loop iterations. The values of masked-off elements are in
// MaskedOffValues.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H

#include "ElementEmitter.h"
#include "blockdsl/Plan/NestConfig.h"

namespace blockdsl {

struct MaskBounds {
  /// For each loop, the values (of type index, before the nest) its iterations lie between; empty for no bound.
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>, 4> lows, highs;
  /// The loops that a part of the mask depends on, and those that have no turn where it does not hold.
  struct Loops {
    llvm::SmallVector<bool, 4> dependsOn, heldBy;
  };
  /// The parts of the mask that hold within the bounds.
  struct Part {
    View view;
    Loops loops;
  };
  llvm::SmallVector<Part> parts;
};

/// The bounds that `mask`, a block of the shape of the nest, puts on the loops in `allowed`.
MaskBounds computeBounds(EmissionContext &context, ElementEmitter &elementEmitter, mlir::Value mask,
                         llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<bool> allowed);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H
