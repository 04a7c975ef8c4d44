//===- AtomicElement.h - Atomic accesses of single elements ----*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace blockdsl {

/// The start time of a poll with a timeout, and the function that reads the clock.
struct Timer {
  mlir::func::FuncOp clock;
  mlir::Value start;

  Timer() = default;
  Timer(mlir::OpBuilder &b, mlir::Location loc, mlir::ModuleOp module);

  mlir::Value readClock(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// Emits the access of one element without regard to the mask of `op`. `operands`: the operands of `op` as scalars.
/// Returns the result, or null for a store.
mlir::Value emitAtomicAccess(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange operands, const Timer &timer);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ATOMICELEMENT_H
