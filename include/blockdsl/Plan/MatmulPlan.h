//===- MatmulPlan.h - Tile, instruction and packing of a matmul ----------===//

#ifndef BLOCKDSL_PLAN_MATMULPLAN_H
#define BLOCKDSL_PLAN_MATMULPLAN_H

#include "blockdsl/Plan/DotInstruction.h"
#include "blockdsl/Plan/Plan.h"
#include "blockdsl/Plan/WordFormat.h"

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// How the elements of an operand get to the tiles.
struct OperandPlan {
  enum class Layout {
    InPlace,     ///< computed, or read from the block's buffer, by each tile
    Copied,      ///< a nest copies them in the accumulator's type
    Words,       ///< packed in words
    RowsPerTile, ///< the rows of one tile are packed in words before it runs
  };
  Layout layout = Layout::InPlace;
  std::unique_ptr<FusionGroup> copy; ///< the nest, if they are copied
  WordFormat words{};
};

/// The mask of a load whose elements are zero where it is false.
struct ZeroMask {
  mlir::Value mask;
  int64_t common; ///< the mask's dimension that is the matmul's common one
};

struct MatmulOperand {
  mlir::Value block;
  int64_t common;             ///< the dimension that the matmul sums over
  mlir::linalg::LinalgOp map; ///< the op that loads the block, if it is a load and not in memory
  LoadOp load;
  std::optional<ZeroMask> zeros;
  OperandPlan plan;
  std::unique_ptr<OperandPlan> whenWrapping; ///< instead of `plan`, where its addresses are not contiguous
};

struct MatmulPlan {
  mlir::Type element; ///< of the accumulators in registers
  int64_t rows, columns;
  int64_t depth; ///< of the common dimension, in steps of the instruction
  int64_t width; ///< accumulators of a vector
  int64_t tileRows, tileVectors;
  DotInstruction step;
  std::optional<AMXTiles> unit;
  MatmulOperand lhs, rhs;
  DemandedMask demand;             ///< result elements that are used, if a mask computed before the matmul says so
  FusionGroup *epilogue = nullptr; ///< runs on each complete tile
  int64_t tileColumns() const { return width * tileVectors; }
};

/// Decides how `op` is computed. `epilogue`: the nest that runs on its tiles.
std::unique_ptr<MatmulPlan> planMatmul(PlanContext &context, mlir::linalg::LinalgOp op, FusionGroup *epilogue);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MATMULPLAN_H
