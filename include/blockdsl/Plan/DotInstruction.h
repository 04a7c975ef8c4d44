//===- DotInstruction.h - Instruction of a matmul ------------------------===//
//
// Dot instructions multiply narrow numbers in groups: each lane multiplies two pairs of bf16 or four pairs of bytes and
// adds the products to a 32-bit accumulator. A group of 32 bits is a word. Without a dot instruction the operands are
// converted to the accumulator's type and multiplied one by one.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_DOTINSTRUCTION_H
#define BLOCKDSL_PLAN_DOTINSTRUCTION_H

#include "blockdsl/Plan/VectorOptions.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace blockdsl {

struct PackedDot;

/// The vector instruction that a matmul multiplies with.
class DotInstruction {
public:
  /// Multiplies and adds numbers of the accumulator's type.
  explicit DotInstruction(mlir::Type accumulator) : element(accumulator) {}
  /// Returns the best instruction of the CPU for vectors of `lanes` accumulators.
  static DotInstruction choose(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator, int64_t lanes);

  /// Returns the number of neighboring factors along the common dimension that a lane multiplies.
  int64_t group() const;
  /// Returns true if the instruction reads the left side's bytes as unsigned. Packing adds 128 to them, and 128 times
  /// the right side's column sums is subtracted from the result.
  bool isLeftUnsigned() const;
  /// Returns the LLVM intrinsic; empty for separate multiplications and additions.
  llvm::StringRef getIntrinsic() const;
  /// Returns true for groups of bf16, false for groups of bytes.
  bool isOfFloats() const;
  mlir::Type getAccumulatorType() const { return element; }

private:
  mlir::Type element;
  const PackedDot *packed = nullptr;
};

/// AMX tile registers of up to 16 rows of 16 words. An instruction adds the matrix product of two tiles to a third.
class AMXTiles {
public:
  /// Rows of a tile, and words of a row.
  static constexpr int64_t kExtent = 16;

  /// Returns the tiles for these types, or nullopt if the CPU does not support them.
  static std::optional<AMXTiles> find(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator);

  /// Returns the number of operand elements in a word.
  int64_t group() const { return ofFloats ? 2 : 4; }
  /// Returns true for bf16 to f32, false for signed bytes to i32.
  bool isOfFloats() const { return ofFloats; }

private:
  explicit AMXTiles(bool ofFloats) : ofFloats(ofFloats) {}
  bool ofFloats;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_DOTINSTRUCTION_H
