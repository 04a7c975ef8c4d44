//===- NestConfig.h - Configuration of a loop nest -----------------------===//
//
// Vector dimension, vector length and loop order, chosen from the nest's memory accesses.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_NESTCONFIG_H
#define BLOCKDSL_PLAN_NESTCONFIG_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/NestContext.h"
#include "blockdsl/Plan/View.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

struct FusionGroup;

/// Returns true if a block is read from memory rather than computed by the nest that uses it.
using IsInMemoryFn = llvm::function_ref<bool(mlir::Value block)>;

/// Blocks that are contiguous along another dimension than the lanes: squares of them are transposed in registers.
struct TransposedAccess {
  int dim = -1;       ///< the dimension in which they are contiguous; -1 for none
  int64_t square = 1; ///< rows and lanes of a square
  int64_t rows = 1;   ///< indices along `dim` whose squares are read before the nest runs over them
  llvm::SmallVector<View> blocks;
};

/// The loops over the dimensions of a domain.
struct NestConfig {
  int laneDim = -1;                ///< the vectorized dimension; -1 for scalar code
  int64_t lanes = 1;               ///< elements of a step: one or several machine vectors
  int64_t machineLanes = 1;        ///< elements of a machine vector
  llvm::SmallVector<int, 4> order; ///< the dimensions with loops, outermost first
  TransposedAccess transposed;

  /// Makes a step one element.
  void makeScalar() {
    laneDim = -1;
    lanes = machineLanes = 1;
  }
};

/// Chooses the configuration of a nest over `shape` that evaluates `blocks`, writes `written` to buffers, and reduces
/// along `axis` unless it is -1.
NestConfig chooseNestConfig(NestContext &context, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<View> blocks, int axis,
                            llvm::ArrayRef<View> written = {});

/// Returns the blocks that the consumers of a nest use, or the operands of a scan.
llvm::SmallVector<View> getUsedBlocks(const FusionGroup &unit);

/// Returns true if the stores of a consumer are contiguous along `dim`.
bool storesAlong(PointerAnalysis &pointers, mlir::linalg::GenericOp consumer, int dim);

/// Chooses the configuration of a nest.
NestConfig chooseNestConfig(NestContext &context, const FusionGroup &unit);

NestConfig chooseScanConfig(NestContext &context, const FusionGroup &unit);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_NESTCONFIG_H
