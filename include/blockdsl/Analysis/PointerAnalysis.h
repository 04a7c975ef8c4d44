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

/// The change of a value from one element to the next along each dimension: 0 where it is the same for all, a
/// constant where it is affine, nothing where it is not known. Integers count in units, pointers in bytes. Integers
/// wrap: a stride holds modulo the width of the value, or of a narrower one that it was widened from.
using Strides = llvm::SmallVector<std::optional<int64_t>, 4>;

/// Those of a buffer that holds a block of this type: row by row, and none along a dimension of one element.
Strides getBufferStrides(mlir::RankedTensorType type);

class PointerAnalysis {
public:
  /// With `assumeNoWrap` the answers are likely rather than certain: remainders do not wrap within a block. With
  /// `assumeFactors` a factor that is only known at run time counts as `kFactor`.
  explicit PointerAnalysis(bool assumeNoWrap = false, bool assumeFactors = false)
      : assumeNoWrap(assumeNoWrap), assumeFactors(assumeFactors) {}

  /// A prime that no stride in a kernel is a multiple of.
  static constexpr int64_t kFactor = 2147483647;

  /// The strides of a block, one for each of its dimensions.
  const Strides &getStrides(mlir::Value block);

  /// The strides of a scalar in the body of `op`, one for each loop dimension of `op`.
  Strides getBodyStrides(mlir::linalg::LinalgOp op, mlir::Value scalar);

  /// The function argument a pointer, or a block of pointers, is derived from; null when that is not known.
  mlir::Value getBase(mlir::Value pointer);

private:
  Strides compute(mlir::Value block);
  mlir::Value computeBase(mlir::Value pointer, unsigned depth);

  bool assumeNoWrap, assumeFactors;
  llvm::DenseMap<mlir::Value, Strides> strides;
  llvm::DenseMap<mlir::Value, mlir::Value> bases;
};

/// The integer that every element of a scalar or block holds, if it is a constant.
std::optional<int64_t> getConstantElement(mlir::Value value);

/// Whether two elements of a block of pointers may be one address. Strides that are only known at run time are taken to
/// keep elements apart, as those of any tensor that can be stored to do.
bool mayRepeat(mlir::Value pointers);

/// The value outside `op` that stands behind the block argument `argument` of its body.
mlir::Value getBodyOperand(mlir::linalg::LinalgOp op, mlir::BlockArgument argument);

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_POINTERANALYSIS_H
