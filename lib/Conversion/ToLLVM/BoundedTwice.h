//===- BoundedTwice.h - Workaround for an LLVM bug with bounds and NaN ------===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H

#include "HiddenZeros.h"

namespace blockdsl {

/// LLVM folds the maximum of a bound and an inner maximum with the same bound to the inner one, although for NaN the
/// inner maximum may be NaN and the outer one the bound (`foldSPFofSPF`,
/// https://github.com/llvm/llvm-project/pull/146736). The two may only become adjacent when a stored value is forwarded
/// to a load. So in a function with both kinds, the bounds of the outer kind are ORed with hidden zeros: LLVM does not
/// fold selects whose bounds may be NaN.
void boundedTwice(mlir::LLVM::LLVMFuncOp function, HiddenZeros &hidden);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H
