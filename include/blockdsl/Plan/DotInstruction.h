//===- DotInstruction.h - Instruction of a matmul ------------------------===//
//
// CPUs multiply narrow numbers in groups: two bf16 or four bytes of each side share a lane with the 32-bit number they
// are added to. A group in 32 bits is a word. A matmul for which the CPU has no such instruction multiplies numbers of
// the accumulator's type one by one.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_DOTINSTRUCTION_H
#define BLOCKDSL_PLAN_DOTINSTRUCTION_H

#include "blockdsl/Plan/VectorOptions.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace blockdsl {

struct PackedDot;

/// An instruction on vectors.
class DotInstruction {
public:
  /// Multiplies and adds numbers of the accumulator's type.
  explicit DotInstruction(mlir::Type accumulator) : element(accumulator) {}
  /// Returns the best instruction of the CPU for vectors of `lanes` accumulators.
  static DotInstruction choose(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator, int64_t lanes);

  /// Returns how many neighbors along the common dimension a lane multiplies.
  int64_t group() const;
  /// Returns true if it takes the left side's bytes for unsigned: they are packed with 128 added, and 128 times the
  /// right side's column sums is subtracted from the result.
  bool isLeftUnsigned() const;
  /// Returns the LLVM intrinsic; empty for a multiplication and an addition.
  llvm::StringRef getIntrinsic() const;
  /// Returns true if the groups are of bf16, and not of bytes.
  bool isOfFloats() const;
  mlir::Type getAccumulatorType() const { return element; }

private:
  mlir::Type element;
  const PackedDot *packed = nullptr;
};

/// AMX: registers that hold up to 16 rows of 16 words, and an instruction that adds the product of two to a third.
class AMXTiles {
public:
  /// Rows of a tile, and words of each.
  static constexpr int64_t kExtent = 16;

  /// Returns the tiles for such operands, if the CPU has them.
  static std::optional<AMXTiles> find(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator);

  /// Returns how many elements of an operand are one word.
  int64_t group() const { return ofFloats ? 2 : 4; }
  /// Returns true for bf16 to f32, false for signed bytes to i32.
  bool isOfFloats() const { return ofFloats; }

private:
  explicit AMXTiles(bool ofFloats) : ofFloats(ofFloats) {}
  bool ofFloats;
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_DOTINSTRUCTION_H
