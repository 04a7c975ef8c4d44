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

/// The mask outside of which no consumer looks at `block`; null when one looks everywhere.
mlir::Value getDemand(mlir::Value block);

/// The same, with what is found kept for the next question.
std::optional<mlir::Value> getDemand(mlir::Value block, llvm::DenseMap<mlir::Value, std::optional<mlir::Value>> &known);

/// The mask outside of which a consumer has nothing to do; null when it has to see every element.
mlir::Value getActiveMask(mlir::Operation *consumer);

/// The mask outside of which the loop-carried blocks among `results` stay what they are; null unless all have the same.
mlir::Value getUpdateMask(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DEMAND_H
