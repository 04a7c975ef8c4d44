//===- Planner.h - Planner of a kernel's nests ----------------------------===//
//
// Visits the kernel's blocks in the order of emission and decides which nests to create and which blocks they write to
// memory. Passes on nests decide the configuration of each nest. The planner creates no ops.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PLANNER_H
#define BLOCKDSL_PLAN_PLANNER_H

#include "blockdsl/Plan/Plan.h"
#include "blockdsl/Plan/PlanContext.h"

namespace blockdsl {

/// Plans `function`, whose body has one block.
Schedule planKernel(PlanContext &context, FuncOp function);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANNER_H
