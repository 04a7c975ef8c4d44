//===- DotStep.h - The instruction a product is made of --------------------===//
//
// A CPU multiplies narrow numbers in groups: two bf16 or four bytes of each side share a lane with the 32-bit number
// they are added to. Which group a product runs in, and the instruction, is one row of a table; a product that finds
// no row multiplies numbers of the accumulator's type one by one, and asks nothing of the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DOTSTEP_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DOTSTEP_H

#include "VectorOptions.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace blockdsl {

struct PackedDot;

class DotStep {
public:
  /// One factor a step, of the accumulator's type.
  explicit DotStep(mlir::Type accumulator) : element(accumulator) {}
  /// The best step of this CPU for vectors of `lanes` accumulators.
  static DotStep choose(const VectorOptions &options, mlir::Type operand, mlir::Type accumulator, int64_t lanes);

  /// How many neighbours along the common dimension one step multiplies.
  int64_t group() const;
  /// What a group is in memory.
  mlir::Type word() const;
  /// Whether the step takes the left side's bytes for unsigned: they are packed with 128 added, and 128 times the
  /// right side's column sums comes off the result.
  bool isLeftUnsigned() const;

  /// `accumulator + left * right`, lane by lane. The sides are vectors of words.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value left, mlir::Value right,
                   mlir::Value accumulator) const;

private:
  mlir::Type element;
  const PackedDot *packed = nullptr;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_DOTSTEP_H
