//===- Masks.h - Masks as loop bounds --------------------------------------===//
//
// A mask that compares indices with a bound restricts loops to an interval of iterations. The values of masked-off
// elements are in MaskedOffValues.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H

#include "ElementEmitter.h"
#include "blockdsl/Plan/MaskBounds.h"

namespace blockdsl {

struct MaskBounds {
  /// The bounds of each loop's iterations, of type index and available before the nest; empty for no bound.
  llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>, 4> lows, highs;
  llvm::SmallVector<MaskPart> parts;
};

/// Computes the bounds of the loops in `allowed` from `mask`, a block of the shape of the nest; of these only the
/// bounds in `planned` unless it is null.
MaskBounds computeBounds(EmissionContext &context, ElementEmitter &elementEmitter, mlir::Value mask,
                         llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<bool> allowed,
                         const BoundedDims *planned = nullptr);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MASKS_H
