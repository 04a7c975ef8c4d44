//===- AtomicAccess.h - Recognition of atomic accesses ----------*- C++ -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H
#define BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace blockdsl {

/// Returns true if `op` is an atomic access of the tt dialect. Its first operand is a pointer or a block of pointers.
bool isAtomic(mlir::Operation *op);

/// Returns true if `function` has an atomic access.
bool hasAtomics(mlir::Operation *function);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_ATOMICACCESS_H
