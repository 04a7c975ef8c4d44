//===- WordFormat.h - Layout of a matmul operand packed in 32-bit words --===//

#ifndef BLOCKDSL_PLAN_WORDFORMAT_H
#define BLOCKDSL_PLAN_WORDFORMAT_H

#include "blockdsl/Plan/NestContext.h"

namespace blockdsl {

enum class WordOrder {
  AsItLies,    ///< takes no transposition
  CommonFirst, ///< the words of one step of the common dimension are neighbors
  CommonLast,  ///< the words of one row, or column, of the product are neighbors
};

struct WordFormat {
  int64_t group; ///< elements of a word
  WordOrder order;
  uint32_t flip = 0; ///< applied to each word as an exclusive or
  /// The common dimension has at least so many words; those beyond the block are zeros.
  int64_t least = 0;
  /// So many neighbors along the other dimension make a panel, and panels follow each other: a tile of the matmul
  /// then reads contiguous memory. Takes the order CommonFirst; 0 for no panels.
  int64_t panel = 0;
  /// The block is contiguous along the common dimension.
  bool alongCommon = false;
  /// The block's own buffer holds the words.
  bool isBuffer = false;
};

/// Returns true if `block` can be read in vectors along some dimension, and its extents fit words of `group` elements.
bool canPackWords(NestContext &context, mlir::Value block, int64_t common, int64_t group);

/// Returns true if `block` is contiguous along dimension `dim`.
bool runsAlong(NestContext &context, mlir::Value block, int64_t dim);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_WORDFORMAT_H
