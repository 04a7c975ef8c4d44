//===- LoopHints.h - What LLVM is told of a loop ---------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPHINTS_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPHINTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

/// Has LLVM leave a loop as it is if its number of turns is not known: several vectors are in flight already, and what
/// they leave over has a loop of its own. Unrolling it again gained no time and took a third of LLVM's.
void keepRolledIfUnknown(mlir::scf::ForOp loop);

/// Has LLVM leave a loop rolled whose turns are known, too: it counts an op on vectors as one instruction.
void keepRolled(mlir::scf::ForOp loop);

/// Has LLVM leave a loop as small as it is.
void keepSmall(mlir::scf::ForOp loop);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_LOOPHINTS_H
