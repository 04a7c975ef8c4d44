//===- Scheduler.h - Fusion of consumers into loop nests -----------------===//
//
// Partitions a block of IR into fusion groups: loop nests, matmuls, scans, structured control flow, scalar effects. A
// consumer joins an earlier nest over the same domain if its operands are available there and memory accesses stay in
// order, so that a reduction and its operand, or the reductions of a layer norm, share a loop.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_SCHEDULER_H
#define BLOCKDSL_PLAN_SCHEDULER_H

#include "blockdsl/Plan/MaterializationPlan.h"
#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Partitions `block` into steps. `results`: pairs of a block and the target whose buffer holds it at the end.
Schedule makeSchedule(MaterializationPlan &plan, mlir::Block &block,
                      llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_SCHEDULER_H
