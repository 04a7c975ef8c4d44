//===- DotEmitter.h - Code of the instructions of a matmul -------------------===//
//
// All AMX tiles have one extent, also where an operand fills only a part of it and is padded with zeros: within a
// function LLVM gives each register a fixed extent, and where matmuls of others follow it finds none for their tiles,
// and ends the process. LLVM assigns and configures the registers.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H

#include "blockdsl/Plan/DotInstruction.h"
#include "mlir/IR/Builders.h"

namespace blockdsl {

/// Emits `accumulator + left * right`, lane by lane. The sides are vectors of words, or of the accumulator's type.
mlir::Value emitDot(mlir::OpBuilder &builder, mlir::Location loc, const DotInstruction &instruction, mlir::Value left,
                    mlir::Value right, mlir::Value accumulator);

/// An AMX tile in memory: rows of words, `pitch` bytes apart.
struct TileInMemory {
  mlir::Value pointer, pitch; ///< the latter an i64
};

mlir::Value emitZeroTile(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value emitTileLoad(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory from);
void emitTileStore(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory to, mlir::Value tile);
/// Emits `accumulator + left * right`. The left tile has a row of words for each row of the matmul, the right one a row
/// of columns for each word of the common dimension.
mlir::Value emitTileDot(mlir::OpBuilder &builder, mlir::Location loc, AMXTiles tiles, mlir::Value accumulator,
                        mlir::Value left, mlir::Value right);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_DOTEMITTER_H
