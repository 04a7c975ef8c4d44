//===- PlanAttributes.h - Decisions as attributes of the cpu dialect ---------===//

#ifndef BLOCKDSL_PLAN_PLANATTRIBUTES_H
#define BLOCKDSL_PLAN_PLANATTRIBUTES_H

#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Plan/MatmulPlan.h"

namespace blockdsl {

cpu::NestAttr getNestAttr(mlir::MLIRContext *context, const NestConfig &config);
/// Returns null if the mask bounds no loop.
cpu::BoundsAttr getBoundsAttr(mlir::MLIRContext *context, const BoundedDims &bounds);
cpu::Prefetched getPrefetched(PrefetchPlan::Part part);
/// Returns null if there are no prefetches.
cpu::PrefetchAttr getPrefetchAttr(mlir::MLIRContext *context, const PrefetchPlan &plan);
cpu::MatmulAttr getMatmulAttr(mlir::MLIRContext *context, const MatmulPlan &plan);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLANATTRIBUTES_H
