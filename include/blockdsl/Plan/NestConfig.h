//===- NestConfig.h - Configuration of a loop nest -----------------------===//
//
// Vector dimension, vector length and loop order. The nest's accesses to memory decide.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_NESTCONFIG_H
#define BLOCKDSL_PLAN_NESTCONFIG_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/NestContext.h"

namespace blockdsl {

struct FusionGroup;

/// Returns true if a block is read from memory, and not computed by the nest that uses it.
using IsInMemoryFn = llvm::function_ref<bool(mlir::Value block)>;

/// A block seen from a loop nest: for each of its dimensions the loop it runs along, or -1.
struct View {
  mlir::Value block;
  llvm::SmallVector<int, 4> loops;
};

/// Blocks that a nest reads along another dimension than its lanes run: squares of them are transposed in registers.
struct TransposedAccess {
  int dim = -1;       ///< the dimension in which they are contiguous; -1 for none
  int64_t square = 1; ///< rows and lanes of a square
  int64_t rows = 1;   ///< squares are read for so many indices along `dim`, before the nest runs over these
  llvm::SmallVector<View> blocks;
};

/// How the dimensions of a domain become loops.
struct NestConfig {
  int laneDim = -1;                ///< the dimension that runs in vectors; -1 for scalar code
  int64_t lanes = 1;               ///< elements a step
  int64_t machineLanes = 1;        ///< elements of a machine vector; a step is one or several
  llvm::SmallVector<int, 4> order; ///< the dimensions with loops, outermost first
  TransposedAccess transposed;

  /// One element at a time.
  void makeScalar() {
    laneDim = -1;
    lanes = machineLanes = 1;
  }
};

/// Chooses the lanes of a nest over `shape` that evaluates `blocks`, of which `written` go to buffers; `axis`, if any,
/// is reduced.
NestConfig chooseNestConfig(NestContext &context, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<View> blocks, int axis,
                            llvm::ArrayRef<View> written = {});

/// Returns the blocks that the consumers of a nest use.
llvm::SmallVector<View> getUsedBlocks(const FusionGroup &unit);

/// Chooses the configuration of a unit that is a nest.
NestConfig chooseNestConfig(NestContext &context, const FusionGroup &unit);

NestConfig chooseScanConfig(NestContext &context, ScanOp op);

/// A block seen along the dimensions of a nest over `shape`.
View viewOf(mlir::Value block, llvm::ArrayRef<int64_t> shape);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_NESTCONFIG_H
