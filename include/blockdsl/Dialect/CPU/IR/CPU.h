//===- CPU.h - The cpu dialect ------------------------------------------===//

#ifndef BLOCKDSL_DIALECT_CPU_IR_CPU_H
#define BLOCKDSL_DIALECT_CPU_IR_CPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "blockdsl/Dialect/CPU/IR/CPUDialect.h.inc"
#include "blockdsl/Dialect/CPU/IR/CPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "blockdsl/Dialect/CPU/IR/CPUAttrs.h.inc"

namespace blockdsl::cpu {
class YieldOp;
} // namespace blockdsl::cpu

#define GET_OP_CLASSES
#include "blockdsl/Dialect/CPU/IR/CPUOps.h.inc"

namespace blockdsl {

/// Returns the value in a nest's region that becomes `block`, or `block` if it is no result of a nest.
mlir::Value getDefinition(mlir::Value block);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_CPU_IR_CPU_H
