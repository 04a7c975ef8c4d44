//===- PointerAnalysis.h - Strides and bases of blocks of addresses --------===//
//
// Strides of blocks in linalg form along each dimension, and the arguments that pointers of tt and linalg derive from.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_POINTERANALYSIS_H
#define BLOCKDSL_ANALYSIS_POINTERANALYSIS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace blockdsl {

/// The difference between neighboring elements along each dimension: 0 if they are equal, a constant if they are
/// affine, nullopt if unknown. Pointers count in bytes. Integers wrap: a stride holds modulo the width of the value, or
/// of the narrower value that it was extended from.
using Strides = llvm::SmallVector<std::optional<int64_t>, 4>;

/// Returns the row-major strides of a buffer, in elements; 0 along dimensions of one element.
Strides getBufferStrides(mlir::RankedTensorType type);

class PointerAnalysis {
public:
  /// With `assumeNoWrap` remainders are assumed not to wrap within a block, so that the results are only hints. With
  /// `assumeFactors` a factor that is only known at run time is replaced by `kFactor`.
  explicit PointerAnalysis(bool assumeNoWrap = false, bool assumeFactors = false)
      : assumeNoWrap(assumeNoWrap), assumeFactors(assumeFactors) {}

  /// A prime of which no stride in a kernel is a multiple.
  static constexpr int64_t kFactor = 2147483647;

  /// Returns the strides of a block, one for each dimension.
  const Strides &getStrides(mlir::Value block);

  /// Returns the strides of a scalar in the body of `op`, one for each loop dimension of `op`.
  Strides getBodyStrides(mlir::linalg::LinalgOp op, mlir::Value scalar);

  /// Returns the loop of `op` along which the integer `scalar` of its body is consecutive, if it is the same along all
  /// others.
  std::optional<unsigned> getConsecutiveLoop(mlir::linalg::LinalgOp op, mlir::Value scalar);

  /// Returns the function argument that a pointer or block of pointers derives from; null if unknown.
  mlir::Value getBase(mlir::Value pointer);

private:
  Strides compute(mlir::Value block);
  mlir::Value computeBase(mlir::Value pointer, unsigned depth);

  bool assumeNoWrap, assumeFactors;
  llvm::DenseMap<mlir::Value, Strides> strides;
  llvm::DenseMap<mlir::Value, mlir::Value> bases;
};

/// Returns the constant value of an integer scalar, or of all elements of a block.
std::optional<int64_t> getConstantElement(mlir::Value value);

/// Returns true if two elements of a block of pointers may be the same address. Strides that are only known at run time
/// are assumed to keep elements distinct, like the strides of any tensor that may be stored to.
bool mayRepeat(mlir::Value pointers);

/// Returns the operand of `op` that the argument of its body stands for.
mlir::Value getBodyOperand(mlir::linalg::LinalgOp op, mlir::BlockArgument argument);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_POINTERANALYSIS_H
