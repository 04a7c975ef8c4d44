//===- NestBuilder.h - Builder of a kernel's nests -----------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H

#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

/// Orders the ops of `function` by its schedule and moves the consumers of each group into a `cpu.nest`.
void buildNests(FuncOp function, const Schedule &plan);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTONESTS_NESTBUILDER_H
