//===- Demand.h - Where anybody looks at a block ----------------------------===//
//
// Under which mask a consumer has anything to do, and with that, where a block has to be computed at all.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DEMAND_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DEMAND_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace blockdsl {

/// Outside of `mask` no consumer looks at a block; null when one looks everywhere. A reduction leaves out what ends its
/// loop early, and so looks at all elements that the mask rules out along another dimension than its own.
struct Demand {
  mlir::Value mask;
  int axis = -1; ///< the only dimension along which that holds; -1 for all
  explicit operator bool() const { return static_cast<bool>(mask); }
};

/// What consumers look at of `block`.
Demand getDemand(mlir::Value block);

/// The same, with what is found kept for the next question.
Demand getDemand(mlir::Value block, llvm::DenseMap<mlir::Value, Demand> &known);

/// What one consumer, a reduction or one with effects, looks at of its operands.
Demand getDemand(mlir::Operation *consumer);

/// The mask outside of which the loop-carried blocks among `results` stay what they are; null unless all have the same.
mlir::Value getUpdateMask(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DEMAND_H
