//===- Across.h - What lies along another dimension than the lanes run -----===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_ACROSS_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_ACROSS_H

#include "NestShape.h"

namespace blockdsl {

/// The largest blocks under `blocks` of which all that is read lies side by side along `dim` and apart along `laneDim`.
llvm::SmallVector<View> findAcross(PlanContext &context, llvm::ArrayRef<View> blocks, int laneDim, int dim);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_ACROSS_H
