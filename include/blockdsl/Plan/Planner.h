//===- Planner.h - Makes the plan of a kernel ----------------------------===//
//
// Visits the kernel's blocks in the order in which they are emitted and takes every decision about their loops, so that
// the emitter takes none. It creates no ops.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PLANNER_H
#define BLOCKDSL_PLAN_PLANNER_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Plans `function`, whose body has one block.
Schedule planKernel(PlanContext &context, FuncOp function);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANNER_H
