//===- CombineRegions.h - Properties of combine regions ---------*- C++ -*-===//
//
// Identities and form of the regions of reductions and scans. Their code is written by Combiner.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_COMBINEREGIONS_H
#define BLOCKDSL_ANALYSIS_COMBINEREGIONS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace blockdsl {

/// Returns the identity of `combiner`, the value that leaves every other one unchanged; null if it has none.
mlir::TypedAttr getIdentity(mlir::Operation *combiner);

/// Returns true if combining with `constant` leaves every value unchanged. Weaker than `getIdentity` for floats: +0.0
/// counts for addition, and an infinity for maxnumf and minnumf.
bool isNeutral(mlir::Operation *combiner, mlir::TypedAttr constant);

/// Returns true if a combine region has branches or loops, and so is run on scalars.
bool needsScalarCombine(mlir::Region &region);

/// Returns true if a combine region only multiplies floats.
bool isFloatProduct(mlir::Region &region);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_COMBINEREGIONS_H
