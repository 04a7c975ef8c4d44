//===- Schedule.h - Which consumers share a loop nest, and in what order ---===//
//
// A block of IR is cut into units: loop nests, products, scans, structured control flow, scalar effects. A consumer
// joins an earlier nest over the same domain when neither its operands nor memory stand in the way, so that a sum
// and the values it sums, or the sums of a layer norm, are one loop.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_SCHEDULE_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_SCHEDULE_H

#include "Kernel.h"
#include "blockdsl/Analysis/DemandedMask.h"

namespace blockdsl {

/// One consumer inside a nest.
struct Root {
  enum class Kind {
    Effects, ///< a linalg.generic without results: stores, assertions
    Write,   ///< `block` goes to the buffer of `target`
    Reduce,  ///< a tt.reduce
  };
  Kind kind;
  mlir::Operation *op = nullptr;
  mlir::Value block, target;
  std::optional<Buffer> into; ///< where a write goes when the target has no buffer of its own
};

struct Unit {
  enum class Kind { Nest, Scan, Product, Histogram, Atomic, Structured, Scalar };
  Kind kind;
  mlir::Operation *op = nullptr; ///< for everything but a nest
  llvm::SmallVector<Root> roots;
  llvm::SmallVector<int64_t, 4> shape;
  int axis = -1;       ///< the dimension the nest reduces
  DemandedMask demand; ///< where the nest has to run at all
  llvm::SmallVector<MemoryAccess> reads, writes;
};

/// What is done in order: a unit, or a scalar op without effects.
struct Step {
  Unit *unit = nullptr;
  mlir::Operation *scalar = nullptr;
};

struct Schedule {
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<Step> steps;
};

/// Cuts `block` into steps. `results` are blocks that have to be in the buffers of their targets at the end.
Schedule makeSchedule(Kernel &kernel, mlir::Block &block, llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_SCHEDULE_H
