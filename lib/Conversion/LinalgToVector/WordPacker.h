//===- WordPacker.h - Groups of narrow numbers as 32-bit words -------------===//
//
// A packed dot instruction wants neighbours along the common dimension side by side. Here a block goes to a buffer of
// such words (a number of 32 bits is one), whichever way it lies in memory: along the common dimension it is copied,
// across it rows are interleaved, and where the buffer is to run the other way, squares of words are transposed in
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_WORDPACKER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_WORDPACKER_H

#include "Evaluator.h"

namespace blockdsl {

/// A side of a product as words. The last two dimensions of the buffer are the common one, counted in words, and the
/// other one, in either order; or, in panels, there are three: the panels, the common one, and what is in a panel.
struct PackedWords {
  Buffer buffer;
  bool commonFirst = false;
};

enum class WordOrder {
  AsItLies,    ///< what takes no transposition
  CommonFirst, ///< the words of one step of the common dimension are neighbours
  CommonLast,  ///< the words of one row, or column, of the product are neighbours
};

/// Whether `block` can be read in vectors along some dimension, and its extents fit words of `group` elements.
bool canPackWords(Kernel &kernel, mlir::Value block, int64_t common, int64_t group);

/// Whether memory runs along dimension `dim` of `block`.
bool runsAlong(Kernel &kernel, mlir::Value block, int64_t dim);

struct WordFormat {
  int64_t group; ///< elements of a word
  WordOrder order;
  uint32_t flip = 0; ///< applied to each word as an exclusive or
  /// The common dimension has at least so many words; those beyond the block are zeros.
  int64_t least = 0;
  /// So many neighbours along the other dimension make a panel, and panel follows panel: what a tile of the product
  /// reads is then one stretch of memory. Takes the order CommonFirst; 0 for no panels.
  int64_t panel = 0;
  /// Nobody looks at the other dimension from here on; null for its end.
  mlir::Value end;
  /// Only `count` neighbours along the other dimension, from here on; null for all.
  mlir::Value from;
  int64_t count = 0;
};

/// Packs `block`, whose dimension `common` is the common one, in words.
PackedWords packWords(Kernel &kernel, mlir::Location loc, mlir::Value block, int64_t common, const WordFormat &format);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_WORDPACKER_H
