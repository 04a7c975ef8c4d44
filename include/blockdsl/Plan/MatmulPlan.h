//===- MatmulPlan.h - Tile, instruction and packing of a matmul ----------===//

#ifndef BLOCKDSL_PLAN_MATMULPLAN_H
#define BLOCKDSL_PLAN_MATMULPLAN_H

#include "blockdsl/Plan/DotInstruction.h"
#include "blockdsl/Plan/Plan.h"
#include "blockdsl/Plan/PrefetchPlan.h"
#include "blockdsl/Plan/WordFormat.h"

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// How the tiles read the elements of an operand.
struct OperandPlan {
  enum class Layout {
    InPlace,     ///< each tile computes them or reads them from the block's buffer
    Copied,      ///< a nest copies them in the accumulator's type
    Words,       ///< packed in words
    RowsPerTile, ///< the rows of one tile are packed in words before it runs
  };
  Layout layout = Layout::InPlace;
  std::unique_ptr<FusionGroup> copy; ///< the nest, if they are copied
  WordFormat words{};
  int64_t kept = 0;        ///< packed parts kept for the next programs, one for each group of iterations
  bool tryInPlace = false; ///< read words from memory if its rows have a constant distance
};

/// The mask of a load that yields zero where the mask is false.
struct ZeroMask {
  mlir::Value mask;
  int64_t common; ///< the mask's dimension that the matmul sums over
};

struct MatmulOperand {
  mlir::Value block;
  int64_t common;             ///< the dimension that the matmul sums over
  mlir::linalg::LinalgOp map; ///< the op that loads the block, if it is a load and not in memory
  LoadOp load;
  std::optional<ZeroMask> zeros;
  OperandPlan plan;
  std::unique_ptr<OperandPlan> whenWrapping; ///< replaces `plan` where addresses are not contiguous
};

struct MatmulPlan {
  /// Sets the extents and operands of `op` for accumulators of `width` lanes, and no decisions.
  MatmulPlan(mlir::linalg::LinalgOp op, int64_t width, IsInMemoryFn isInMemory);

  mlir::Type element; ///< type of the accumulators in registers
  int64_t rows, columns;
  int64_t depth; ///< extent of the common dimension, in steps of the instruction
  int64_t width; ///< accumulators in a vector
  int64_t tileRows = 0, tileVectors = 0;
  DotInstruction instruction;
  std::optional<AMXTiles> amx;
  MatmulOperand lhs, rhs;
  DemandedMask demand; ///< result elements that are used, if a mask computed before the matmul says so
  LoopVersions versions;
  PrefetchPlan prefetch;
  /// The dimensions of the result along which tiles without used elements are skipped, and the common dimension if
  /// steps that multiply zeros are.
  BoundedDims bounds;
  FusionGroup *epilogue = nullptr; ///< runs on each complete tile
  /// Iterations of the enclosing loop that are multiplied together: their operands are packed before the first tile.
  int64_t iterations = 1;
  int64_t tileColumns() const { return width * tileVectors; }
  /// Iterations that fill a packed part: several if an AMX tile is deeper than the blocks of one.
  int64_t iterationsPerPart() const;
  /// Returns the number of the common dimension in `bounds`.
  int64_t commonDim() const { return lhs.common + 1; }
  /// Steps of the common dimension in one iteration of its loop, unrolled to hide the loop's overhead.
  static constexpr int64_t kUnroll = 4;
};

/// Returns the number of lanes of a vector of accumulators.
int64_t getMatmulLanes(mlir::linalg::LinalgOp op, unsigned vectorBits);

/// Finds the masks outside of which loaded operands are zero.
void findZeros(MatmulPlan &plan, IsInMemoryFn isInMemory);

/// Returns the plan of a copy in the accumulator's type, without a configuration.
OperandPlan makeCopy(const MatmulOperand &operand);

/// Decides how `op` is computed.
std::unique_ptr<MatmulPlan> planMatmul(NestContext &context, mlir::linalg::LinalgOp op);

/// Returns true if tiles can read the words of the left side from memory, provided its rows have a constant distance.
bool canReadRowsInPlace(const MatmulPlan &matmul);

/// Returns true for a matmul of matrices whose operands are both packed, so that several iterations may be packed.
bool isMergeable(const MatmulPlan &matmul);

/// Decides how many iterations of the loop around `matmul` are multiplied together, and whether its right side stays
/// packed for the next programs. `isConstant`: no op writes to the memory of the right side.
void planIterations(MatmulPlan &matmul, std::optional<llvm::APInt> tripCount, bool isConstant);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_MATMULPLAN_H
