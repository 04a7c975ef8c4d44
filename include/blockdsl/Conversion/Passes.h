//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef BLOCKDSL_CONVERSION_PASSES_H
#define BLOCKDSL_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace blockdsl {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "blockdsl/Conversion/Passes.h.inc"

} // namespace blockdsl

#endif // BLOCKDSL_CONVERSION_PASSES_H
