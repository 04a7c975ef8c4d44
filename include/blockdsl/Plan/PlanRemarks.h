//===- PlanRemarks.h - Optimization remarks of a plan ------------------------===//

#ifndef BLOCKDSL_PLAN_PLANREMARKS_H
#define BLOCKDSL_PLAN_PLANREMARKS_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Emits a remark at the kernel's line for each decision that its author could change: the decision, the reason, and
/// the cost in bytes or operations. Does nothing unless the context has a remark engine.
void emitPlanRemarks(PlanContext &context, const Schedule &plan);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANREMARKS_H
