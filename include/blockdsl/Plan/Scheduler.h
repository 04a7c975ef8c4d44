//===- Scheduler.h - Fusion of consumers into loop nests -----------------===//
//
// A block of IR is cut into units: loop nests, products, scans, structured control flow, scalar effects. A consumer
// joins an earlier nest over the same domain when neither its operands nor memory stand in the way, so that a sum
// and the values it sums, or the sums of a layer norm, are one loop.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_SCHEDULER_H
#define BLOCKDSL_PLAN_SCHEDULER_H

#include "blockdsl/Plan/MaterializationPlan.h"
#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Cuts `block` into steps. `results` are blocks that have to be in the buffers of their targets at the end.
Schedule makeSchedule(MaterializationPlan &plan, mlir::Block &block,
                      llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_SCHEDULER_H
