//===- DemandedMask.h - Elements of a block that its consumers use ---------===//
//
// The mask under which a block is used: its other elements need not be computed. The counterpart of LLVM's demanded
// elements for blocks in linalg form. The analysis does not turn masks into loop bounds.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_DEMANDEDMASK_H
#define BLOCKDSL_ANALYSIS_DEMANDEDMASK_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace blockdsl {

/// The elements of a block that are used. A reduction along `axis` skips masked-off elements by ending its loop early;
/// along the other dimensions it uses them.
struct DemandedMask {
  mlir::Value mask; ///< elements where it is false are unused; null if all elements are used
  int axis = -1;    ///< the only dimension along which they are unused; -1 for all
  explicit operator bool() const { return static_cast<bool>(mask); }
};

/// Returns the elements of `block` that its consumers use.
DemandedMask getDemandedMask(mlir::Value block);

/// Overload with a cache, which stays valid as long as the IR is unchanged.
DemandedMask getDemandedMask(mlir::Value block, llvm::DenseMap<mlir::Value, DemandedMask> &known);

/// Returns the elements that one consumer, a reduction or an op with side effects, uses of its operands.
DemandedMask getDemandedMask(mlir::Operation *consumer);

/// Returns the masks of loads and selects that `block` is computed from, as far as they have the shape of `block`.
llvm::SetVector<mlir::Value> findMasks(mlir::Value block);

/// Returns the mask under which a loop iteration changes its carried blocks; null unless all of them have the same one.
/// `results` are pairs of the new value and the carried block.
mlir::Value getUpdateMask(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_DEMANDEDMASK_H
