//===- Exchanges.h - Halves of blocks that change places --------*- C++ -*-===//
// Recognizes exchanges as Triton writes them, and flattens networks of them. Reversals are in FoldFlips.cpp.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace blockdsl {

/// A block whose halves along an axis of extent 2 change places.
struct Exchange {
  mlir::Value block;
  int64_t axis;
};

/// Matches `block ^ sums`, where `sums` holds at both places of an axis the exclusive or of what `block` has there.
std::optional<Exchange> matchExchange(mlir::arith::XOrIOp op);

/// Rewrites reshaped results of networks of exchanges on blocks of many dimensions: the network's ops take blocks of
/// one dimension, and an exchange is a gather whose index differs in one bit. What such a network computes of the
/// indices of its dimensions is computed of bits of the flat index.
void flattenExchanges(mlir::Operation *root);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_EXCHANGES_H
