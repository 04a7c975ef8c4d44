//===- OutsideMasks.h - What values are where a mask does not hold ---------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_OUTSIDEMASKS_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_OUTSIDEMASKS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

/// What every element of `block` is where `mask` does not hold, if that is one constant.
mlir::TypedAttr getOutside(mlir::Value block, mlir::Value mask);

/// What the elements of a block that is reduced are outside of a mask.
struct OutsideElements {
  mlir::TypedAttr constant;
  /// Where the block takes a number from -inf there, of the body of `op` and one for all that are reduced together:
  /// when that is -inf or NaN, the elements are `otherwise`. Null when they are `constant` always.
  mlir::linalg::LinalgOp op;
  mlir::Value subtrahend;
  mlir::TypedAttr otherwise;
};

/// What `block`, reduced along `axis`, is where `mask` does not hold, if that changes nothing of what `combiner` gives,
/// or makes all of it NaN.
std::optional<OutsideElements> getOutsideOfReduced(mlir::Operation *combiner, mlir::Value block, int axis,
                                                   mlir::Value mask);

/// Whether `block`, with which a loop replaces the `carried` one, is what that was wherever `mask` does not hold.
bool keepsOutside(mlir::Value block, mlir::BlockArgument carried, mlir::Value mask);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_OUTSIDEMASKS_H
