//===- MemoryTypes.h - Layout of scalar types in memory ----------------------===//

#ifndef BLOCKDSL_ANALYSIS_MEMORYTYPES_H
#define BLOCKDSL_ANALYSIS_MEMORYTYPES_H

#include "mlir/IR/Types.h"

namespace blockdsl {

/// Returns the type that holds a scalar of `type` in memory: an integer for a pointer, an index, an i1 or an 8-bit
/// float.
mlir::Type getMemoryType(mlir::Type type);

/// Returns the bytes that a scalar of `type` takes in memory.
int64_t getByteSize(mlir::Type type);

/// Returns true if elements of `size` bytes at distance `stride` bytes are loaded together with the bytes between them
/// rather than gathered.
inline bool isLoadedStrided(int64_t stride, int64_t size) {
  return stride % size == 0 && stride > size && stride <= 4 * size;
}

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_MEMORYTYPES_H
