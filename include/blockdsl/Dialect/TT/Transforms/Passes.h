//===- Passes.h - Transformations of the tt dialect -------------*- C++ -*-===//
// The passes that begin and end in the tt dialect.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES_H
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace blockdsl {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES_H
