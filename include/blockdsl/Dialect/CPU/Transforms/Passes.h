//===- Passes.h - Decisions about loop nests, one pass each ----------------===//

#ifndef BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_H
#define BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace blockdsl {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "blockdsl/Dialect/CPU/Transforms/Passes.h.inc"

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_H
