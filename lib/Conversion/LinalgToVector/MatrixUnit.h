//===- MatrixUnit.h - Products of tiles of words ----------------------------===//
//
// AMX: registers that hold up to 16 rows of 16 words, and an instruction that adds the product of two to a third. Words
// are those of DotStep.h: the left tile has a row of words for each row of the product, the right one a row of columns
// for each word of the common dimension. Which register a tile is in, and their configuration, is LLVM's to decide.
//
// All tiles have one extent, also where an operand fills only a part of it and is padded with zeros: within a function,
// LLVM gives each register an extent for good, and where products of others follow it finds none for their tiles, and
// ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H

#include "VectorOptions.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace blockdsl {

/// A tile in memory: words a row apart by some bytes.
struct TileInMemory {
  mlir::Value pointer;
  int64_t pitch;
};

class MatrixUnit {
public:
  /// Rows of a tile, and words of each.
  static constexpr int64_t kExtent = 16;

  /// The matrix unit of this CPU for such operands, if it has one.
  static std::optional<MatrixUnit> find(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator);

  /// How many elements of an operand are one word.
  int64_t group() const;

  mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc) const;
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory from) const;
  void store(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory to, mlir::Value tile) const;
  /// `accumulator + left * right`
  mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value accumulator, mlir::Value left,
                       mlir::Value right) const;

private:
  explicit MatrixUnit(bool ofFloats) : ofFloats(ofFloats) {}
  bool ofFloats; ///< bf16 to f32, or else signed bytes to i32
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H
