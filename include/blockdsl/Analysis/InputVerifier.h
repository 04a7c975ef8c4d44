//===- InputVerifier.h - Verifier of the loop emitter's input ----*- C++ -*-===//

#ifndef BLOCKDSL_ANALYSIS_INPUTVERIFIER_H
#define BLOCKDSL_ANALYSIS_INPUTVERIFIER_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// Emits an error at the first op of `kernel` that is not in the form that `convert-tt-to-linalg` leaves. The analyses
/// of linalg ops and `convert-nests-to-loops` rely on that form without further checks.
mlir::LogicalResult verifyEmitterInput(FuncOp kernel);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_INPUTVERIFIER_H
