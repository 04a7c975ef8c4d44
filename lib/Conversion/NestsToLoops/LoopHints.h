//===- LoopHints.h - Loop metadata for LLVM ---------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Disables runtime unrolling of a loop: it has several vectors in flight already, and its remainder is a loop of its
/// own. Unrolling it again gained no time and took a third of LLVM's.
void keepRolledIfUnknown(mlir::scf::ForOp loop);

/// Disables unrolling of a loop, of a known number of iterations too: LLVM counts an op on vectors as one instruction.
void keepRolled(mlir::scf::ForOp loop);

/// Disables unrolling and vectorization of a loop.
void keepSmall(mlir::scf::ForOp loop);

/// Disables unrolling of the loops of a kernel that gather or exchange elements, if there are many: each copy costs
/// LLVM time, and gains little. `outline-repeated-loops` then makes one function of those that are equal.
void keepExchangesRolled(mlir::func::FuncOp function);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H
