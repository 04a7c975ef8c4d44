//===- VNNIPacker.h - Groups of narrow numbers as 32-bit words ------------===//
//
// A packed dot instruction wants neighbors along the common dimension side by side. Here a block goes to a buffer of
// such words (a number of 32 bits is one), whichever way it lies in memory: along the common dimension it is copied,
// across it rows are interleaved, and where the buffer is to run the other way, squares of words are transposed in
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H

#include "EmissionContext.h"
#include "blockdsl/Plan/WordFormat.h"

namespace blockdsl {

/// A side of a product as words. The last two dimensions of the buffer are the common one, counted in words, and the
/// other one, in either order; or, in panels, there are three: the panels, the common one, and what is in a panel. The
/// buffer of several iterations has them as its first dimension.
struct PackedWords {
  Buffer buffer;
  bool commonFirst = false;
};

/// Indices of the dimension of a block that is not the common one.
struct WordRange {
  mlir::Value end;  ///< nothing is read from here on; null for the dimension's end
  mlir::Value from; ///< only `count` neighbors from here on; null for all
  int64_t count = 0;
};

/// One of several iterations that are packed in one buffer.
struct PackedIteration {
  mlir::Value index; ///< null for none
  int64_t count = 0;
};

/// Packs `block`, whose dimension `common` is the common one, in words.
/// Packs only what lies in `range` of the other dimension.
PackedWords packWords(EmissionContext &context, mlir::Location loc, mlir::Value block, int64_t common,
                      const WordFormat &format, WordRange range, PackedIteration iteration = {});

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VNNIPACKER_H
