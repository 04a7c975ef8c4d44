//===- LoopHints.h - Loop metadata for LLVM ---------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Disables runtime unrolling of a loop that has several vectors in flight already and a separate remainder loop.
/// Unrolling gained no speed and took a third of LLVM's compile time.
void keepRolledIfUnknown(mlir::scf::ForOp loop);

/// Disables all unrolling of a loop, also for a constant trip count: LLVM underestimates the size of vector ops, which
/// it counts as one instruction.
void keepRolled(mlir::scf::ForOp loop);

/// Disables unrolling and vectorization of a loop.
void keepSmall(mlir::scf::ForOp loop);

/// Disables unrolling of the loops of a kernel that gather or exchange elements if there are many: each copy costs
/// compile time and gains little. `outline-repeated-loops` then outlines equal loops.
void keepExchangesRolled(mlir::func::FuncOp function);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPHINTS_H
