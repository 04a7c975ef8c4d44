//===- WordFormat.h - Layout of a matmul operand packed in 32-bit words --===//

#ifndef BLOCKDSL_PLAN_WORDFORMAT_H
#define BLOCKDSL_PLAN_WORDFORMAT_H

#include "blockdsl/Plan/NestContext.h"

namespace blockdsl {

enum class WordOrder {
  AsStored,    ///< the order that needs no transposition
  CommonFirst, ///< the words of one step of the common dimension are neighbors
  CommonLast,  ///< the words of one row, or column, of the result are neighbors
};

struct WordFormat {
  int64_t group; ///< elements of a word
  WordOrder order;
  uint32_t flip = 0; ///< each word is XORed with it
  /// The minimum number of words along the common dimension, padded with zeros.
  int64_t least = 0;
  /// The width of a panel along the other dimension; 0 for no panels. Panels are stored one after another, so that a
  /// tile of the matmul reads contiguous memory. Requires the order CommonFirst.
  int64_t panel = 0;
  /// The block is contiguous along the common dimension.
  bool alongCommon = false;
  /// The block's own buffer holds the words.
  bool isBuffer = false;
};

/// Returns true if `block` can be read in vectors along some dimension and its extents fit words of `group` elements.
bool canPackWords(NestContext &context, mlir::Value block, int64_t common, int64_t group);

/// Returns true if `block` is contiguous along dimension `dim`.
bool runsAlong(NestContext &context, mlir::Value block, int64_t dim);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_WORDFORMAT_H
