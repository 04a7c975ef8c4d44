//===- Exchanges.h - Exchanges of the halves of blocks ----------*- C++ -*-===//
// Recognizes exchanges as Triton writes them, and flattens networks of them. Reversals are in FoldFlips.cpp.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace blockdsl {

/// The exchange of the halves of `block` along an axis of extent 2.
struct Exchange {
  mlir::Value block;
  int64_t axis;
};

/// Matches `block ^ sums`, where both positions along an axis of `sums` hold the xor of the halves of `block`.
std::optional<Exchange> matchExchange(mlir::arith::XOrIOp op);

/// Flattens networks of exchanges on blocks of many dimensions. An exchange becomes a gather whose index differs in one
/// bit, and the indices along the dimensions become bits of the flat index.
void flattenExchanges(mlir::Operation *root);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H
