//===- Rules.h - Expansion rules for ops other than function calls --------===//
//
// Each rule returns the value that replaces the op, or null if LLVM's own lowering of the op is suitable. Operands are
// f32, f64 or integers: smaller floats have been widened before.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_RULES_H
#define BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_RULES_H

#include "Emitter.h"

namespace blockdsl {

/// arith.divsi, divui, remsi, remui: division by zero gives zero, and nothing traps.
mlir::Value expandIntegerDivision(Emitter &e, mlir::Operation *op);

/// arith.maximumf, minimumf, maxnumf and minnumf, tt.clampf.
mlir::Value expandMinMax(Emitter &e, mlir::Operation *op);

/// tt.precise_divf, tt.approx_divf, tt.precise_sqrt, tt.mulhiui, shifts, and conversions of floats to integers.
/// (arith.divf stays: LLVM's division is correctly rounded.)
mlir::Value expandArithmetic(Emitter &e, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_RULES_H
