//===- MaskedOffValues.h - Values of the elements that a mask rules out ----===//
//
// Constants that blocks in linalg form hold where a mask is false, and whether a reduction or an update may skip them.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_MASKEDOFFVALUES_H
#define BLOCKDSL_ANALYSIS_MASKEDOFFVALUES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

/// Returns the constant that every element of `block` has where `mask` is false; null if there is no such constant.
mlir::TypedAttr getMaskedOffValue(mlir::Value block, mlir::Value mask);

/// The masked-off elements of a block that is reduced.
struct MaskedOffElements {
  mlir::TypedAttr constant;
  /// Set if the elements are computed as -inf - x, for one x in the body of `op` that all elements reduced together
  /// share. Where x is -inf or NaN the elements are `otherwise`. Null if they are `constant` for every x.
  mlir::linalg::LinalgOp op;
  mlir::Value subtrahend;
  mlir::TypedAttr otherwise;
};

/// Returns the masked-off elements of `block`, reduced along `axis` by `combiner`, if the reduction may skip them: they
/// do not change its result, or make it NaN.
std::optional<MaskedOffElements> getMaskedOffInReduction(mlir::Operation *combiner, mlir::Value block, int axis,
                                                         mlir::Value mask);

/// Returns true if `block`, the next value of the loop-carried block `carried`, equals it wherever `mask` is false.
bool keepsMaskedOff(mlir::Value block, mlir::BlockArgument carried, mlir::Value mask);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_MASKEDOFFVALUES_H
