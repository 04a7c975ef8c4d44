//===- AtomicAccess.h - ops that programs see as one access -----*- C++ -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H
#define BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace blockdsl {

/// Whether `op` is an atomic access of the tt dialect, to one element or to a block of them; its first operand says
/// where.
bool isAtomic(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H
