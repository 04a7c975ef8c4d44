//===- AtomicElement.h - The atomic access of one element ------*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace blockdsl {

/// When an op that waits began, and what tells how long that is ago.
struct Timer {
  mlir::func::FuncOp clock;
  mlir::Value start;

  Timer() = default;
  Timer(mlir::OpBuilder &b, mlir::Location loc, mlir::ModuleOp module);

  mlir::Value readClock(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// Writes an access of `op` at the builder's place, whatever its mask says. `operands` are those of the op, as scalars.
/// What it gives, or null.
mlir::Value emitAtomicAccess(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange operands, const Timer &timer);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H
