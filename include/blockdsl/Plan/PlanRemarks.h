//===- PlanRemarks.h - Optimization remarks of a plan ------------------------===//

#ifndef BLOCKDSL_PLAN_PLANREMARKS_H
#define BLOCKDSL_PLAN_PLANREMARKS_H

#include "blockdsl/Plan/MatmulPlan.h"
#include "blockdsl/Plan/PlanContext.h"

namespace blockdsl {

// Remarks at the kernel's line for decisions that its author could influence: the decision, the reason, and the cost in
// bytes or operations. Nothing is emitted unless the context has a remark engine.

/// Explains the blocks that a plan keeps in memory.
void emitStorageRemarks(PlanContext &context, const Schedule &plan);

/// Explains a nest that is scalar, or transposes blocks.
void emitConfigRemarks(const FusionGroup &group);

/// Explains the shorter first step that aligns the stores of a nest.
void emitAlignmentRemark(mlir::Location loc);

/// Explains the versions of a nest for addresses that wrap.
void emitVersionsRemark(mlir::Location loc, LoopVersions versions);

/// Names the tile and the instruction of a matmul.
void emitMatmulRemark(mlir::Location loc, const MatmulPlan &plan);

/// Explains how many iterations of a loop a matmul multiplies together.
void emitIterationsRemark(mlir::Location loc, const MatmulPlan &plan);

/// Explains why a matmul that a loop accumulates multiplies one iteration at a time. `sums`: the type of its result.
void emitSingleIterationRemark(mlir::Location loc, mlir::ShapedType sums, llvm::StringRef reason);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANREMARKS_H
