//===- MatrixUnit.h - Products of tiles of words ----------------------------===//
//
// AMX: registers that hold up to 16 rows of 16 words, and an instruction that adds the product of two to a third. Words
// are those of DotStep.h: the left tile has a row of words for each row of the product, the right one a row of columns
// for each word of the common dimension. Which register a tile is in, and their configuration, is LLVM's to decide.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H

#include "Kernel.h"

namespace blockdsl {

/// A tile in memory: words a row apart by some bytes.
struct TileInMemory {
  mlir::Value pointer;
  int64_t pitch;
};

class MatrixUnit {
public:
  static constexpr int64_t kExtent = 16;

  /// The matrix unit of this CPU for such operands, if it has one.
  static std::optional<MatrixUnit> find(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator);

  /// How many elements of an operand are one word.
  int64_t group() const;

  mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// A tile of `rows` rows of `words` words.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory from, int64_t rows, int64_t words) const;
  void store(mlir::OpBuilder &builder, mlir::Location loc, TileInMemory to, mlir::Value tile) const;
  /// `accumulator + left * right`, over `words` words of the common dimension.
  mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value accumulator, mlir::Value left,
                       mlir::Value right, int64_t words) const;

private:
  explicit MatrixUnit(bool ofFloats) : ofFloats(ofFloats) {}
  bool ofFloats; ///< bf16 to f32, or else signed bytes to i32
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_MATRIXUNIT_H
