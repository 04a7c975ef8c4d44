//===- VNNIPacker.h - Groups of narrow numbers as 32-bit words ------------===//
//
// Dot instructions read neighbors along the common dimension as one 32-bit word; a 32-bit number is a word by itself.
// Blocks that are contiguous along the common dimension are copied to a buffer of words; rows of other blocks are
// interleaved. If the buffer runs along the other dimension, squares of words are transposed in registers.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H

#include "EmissionContext.h"
#include "blockdsl/Plan/WordFormat.h"

namespace blockdsl {

/// An operand of a matmul packed in words. The last dimensions of the buffer are the common dimension, counted in
/// words, and the other dimension, in either order; with panels they are the panel, the common dimension, and the index
/// within the panel. A buffer of several iterations has its parts as the first dimension.
struct PackedWords {
  Buffer buffer;
  bool commonFirst = false;
};

/// A range of the dimension of a block that is not the common one.
struct WordRange {
  mlir::Value end;  ///< null for the dimension's end
  mlir::Value from; ///< start of a range of `count` indices; null for the whole dimension
  int64_t count = 0;
};

/// One of several iterations that are packed in one buffer of `parts`. A part has as many words along the common
/// dimension as the operand's format requires, so that it holds one or several iterations.
struct PackedIteration {
  mlir::Value index; ///< null for none
  int64_t parts = 0;
  mlir::Value firstPart{}; ///< null for 0
};

/// Packs the part of `block` within `range` in words. `common` is its common dimension.
PackedWords packWords(EmissionContext &context, mlir::Location loc, mlir::Value block, int64_t common,
                      const WordFormat &format, WordRange range, PackedIteration iteration = {});

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H
