//===- PlanReader.h - Reader of a kernel's plan ----------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Reads the plan of `function` from its nests; emits an error at an op whose plan cannot be converted to loops.
/// `pointers`: strides that are certain; `hints`: strides under the assumption that nothing wraps.
mlir::FailureOr<Schedule> readPlan(FuncOp function, const VectorOptions &options, PointerAnalysis &hints,
                                   PointerAnalysis &pointers);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_PLANREADER_H
