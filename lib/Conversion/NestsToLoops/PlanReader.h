//===- PlanReader.h - Reads the plan of a kernel from its nests ------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Reads the plan of `function`; emits an error at an op whose plan cannot be written as loops. `hints` knows the
/// strides of blocks if nothing wraps.
mlir::FailureOr<Schedule> readPlan(FuncOp function, const VectorOptions &options, PointerAnalysis &hints);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H
