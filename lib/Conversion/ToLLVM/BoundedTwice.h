//===- BoundedTwice.h - A fault of LLVM's about bounds and NaN --------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H

#include "HiddenZeros.h"

namespace blockdsl {

/// The larger of a bound and the larger of it and another: LLVM takes the inner one for both, whether or not of a NaN
/// the inner one gives NaN and the outer one the bound (`foldSPFofSPF`,
/// https://github.com/llvm/llvm-project/pull/146736). The two may meet only once what was stored is read. So where a
/// function has both kinds, the bounds of the outer kind are joined with zeros: they may be NaN then, as far as is
/// known, and such choices it leaves alone.
void boundedTwice(mlir::LLVM::LLVMFuncOp function, HiddenZeros &hidden);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TOLLVM_BOUNDEDTWICE_H
