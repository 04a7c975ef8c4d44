//===- Outlining.h - Outlining of parts of kernels --------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_SPLITKERNELS_OUTLINING_H
#define BLOCKDSL_LIB_CONVERSION_SPLITKERNELS_OUTLINING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Marks the argument with the number of the first program, from which `avoid-llvm-faults` computes an opaque value.
inline constexpr llvm::StringLiteral kFirstProgram("blockdsl.first_program");

/// Returns true for ops that are cloned into each function that uses them.
bool isConstant(mlir::Operation *op);

/// Returns the bits of a number, a pointer, or a vector of these.
int64_t bitsOf(mlir::Type type);

/// Estimates the instructions of an op: one for each 512 bits, times the iterations of loops that LLVM unrolls.
int64_t lengthOf(mlir::Operation *op);

/// Returns true if LLVM may unroll all iterations of a loop.
bool isUnrolled(mlir::scf::ForOp loop);

/// Returns the argument of `function` that is marked `kFirstProgram`, if there is one.
mlir::BlockArgument firstProgramOf(mlir::func::FuncOp function);

/// Creates an internal function before `caller` that LLVM does not inline. Its body is empty.
mlir::func::FuncOp createOutlined(mlir::func::FuncOp caller, mlir::Location loc, const llvm::Twine &suffix);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_SPLITKERNELS_OUTLINING_H
