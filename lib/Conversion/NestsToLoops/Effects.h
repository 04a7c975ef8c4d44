//===- Effects.h - Stores and assertions of a nest ----------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EFFECTS_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EFFECTS_H

#include "ElementEmitter.h"

namespace blockdsl {

/// Callbacks that emit writes to memory.
using Writes = llvm::SmallVector<std::function<void()>>;

/// Emits the operands of the effects of `generic` at `position`, and adds the emission of the effects themselves to
/// `writes`. `streamed`: the bytes to which its stores are known to be aligned if they bypass the caches; 0 if not.
void emitEffects(ElementEmitter &elementEmitter, mlir::linalg::GenericOp generic, Position position, Writes &writes,
                 int64_t streamed = 0);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EFFECTS_H
