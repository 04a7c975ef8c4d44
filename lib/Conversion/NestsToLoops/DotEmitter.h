//===- DotEmitter.h - Code of the instructions of a matmul -------------------===//
//
// All AMX tiles have the same extent; smaller operands are padded with zeros. LLVM assigns and configures the tile
// registers, each with one extent per function. In a function with matmuls of different extents it finds no register
// for some tiles and ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H

#include "blockdsl/Plan/DotInstruction.h"
#include "mlir/IR/Builders.h"

namespace blockdsl {

/// Emits `accumulator + left * right` for each lane. The factors are vectors of words, or of the accumulator's type.
mlir::Value emitDot(mlir::OpBuilder &builder, mlir::Location loc, const DotInstruction &instruction, mlir::Value left,
                    mlir::Value right, mlir::Value accumulator);

/// An AMX tile in memory: rows of words at a distance of `pitch` bytes.
struct TileInMemory {
  mlir::Value pointer, pitch; ///< `pitch` is an i64
};

mlir::Value emitZeroTile(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value emitTileLoad(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory from);
void emitTileStore(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory to, mlir::Value tile);
/// Emits `accumulator + left * right`. The left tile has a row of words for each row of the matmul, the right tile a
/// row of columns for each word of the common dimension.
mlir::Value emitTileDot(mlir::OpBuilder &builder, mlir::Location loc, AMXTiles tiles, mlir::Value accumulator,
                        mlir::Value left, mlir::Value right);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H
