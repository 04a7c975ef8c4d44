//===- NestBuilder.h - Writes the plan of a kernel as IR -----------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Orders the ops of `function` as its schedule says and moves the consumers of each group into a `cpu.nest`.
void buildNests(FuncOp function, const Schedule &plan);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H
