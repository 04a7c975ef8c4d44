//===- EpilogueFusion.h - Fusion of a matmul with the nest that stores it ---===//
//
// A nest that stores a matmul runs on each tile as soon as the tile is complete, so that the next tile's multiply-adds
// hide the latency of the stores.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_EPILOGUEFUSION_H
#define BLOCKDSL_PLAN_EPILOGUEFUSION_H

#include "blockdsl/Plan/NestReader.h"

namespace blockdsl {

/// Returns the nest of a matmul on whose tiles `stores` can run: `sums` itself, or the nest in the body of a loop
/// `sums` that accumulates the matmul; null if there is none. `sums` is the step before `stores`. Fails with an error
/// if `stores` is not a valid nest.
mlir::FailureOr<cpu::NestOp> findStoredMatmul(NestContext &context, const MemoryAccesses &accesses,
                                              mlir::Operation *sums, cpu::NestOp stores);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_EPILOGUEFUSION_H
