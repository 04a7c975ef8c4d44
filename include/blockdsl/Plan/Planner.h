//===- Planner.h - Makes the plan of a kernel ----------------------------===//
//
// Visits the kernel's blocks in the order in which they are emitted and decides which nests there are and which blocks
// they keep. How a nest runs is decided by passes on nests. It creates no ops.
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
