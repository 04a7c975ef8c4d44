//===- TransposedAccess.h - Accesses that are contiguous along another dimension ---===//

#ifndef BLOCKDSL_PLAN_TRANSPOSEDACCESS_H
#define BLOCKDSL_PLAN_TRANSPOSEDACCESS_H

#include "blockdsl/Plan/NestConfig.h"

namespace blockdsl {

/// Returns the largest blocks that `blocks` are computed from whose reads are all contiguous along `dim` and strided
/// along `laneDim`.
llvm::SmallVector<View> findTransposed(PointerAnalysis &hints, IsInMemoryFn isInMemory, llvm::ArrayRef<View> blocks,
                                       int laneDim, int dim);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_TRANSPOSEDACCESS_H
