//===- Plan.h - Decisions about a kernel ---------------------------------===//
//
// Loop nests, matmuls and scalar ops of each region, in order of execution, each with its configuration. The planner
// creates the plan before any code is emitted.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_PLAN_H
#define BLOCKDSL_PLAN_PLAN_H

#include "blockdsl/Analysis/DemandedMask.h"
#include "blockdsl/Plan/LoopVersions.h"
#include "blockdsl/Plan/MaskBounds.h"
#include "blockdsl/Plan/MemoryAccesses.h"
#include "blockdsl/Plan/NestConfig.h"
#include "blockdsl/Plan/StorePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <memory>

namespace blockdsl {

struct MatmulPlan;
struct RegionPlan;

/// One consumer inside a nest.
struct FusionRoot {
  enum class Kind {
    Effects, ///< a linalg.generic without results: stores, assertions
    Write,   ///< writes `block` to the buffer of `target`
    Reduce,  ///< a tt.reduce
  };
  Kind kind;
  mlir::Operation *op = nullptr;
  mlir::Value block, target; ///< `target` is null for the packed copy of a matmul's operand
};

struct FusionGroup {
  enum class Kind { Nest, Scan, Matmul, Histogram, Atomic, Structured, Scalar };
  FusionGroup(Kind kind, mlir::Operation *op = nullptr);
  ~FusionGroup();
  Kind kind;
  mlir::Operation *op;             ///< null for a nest
  mlir::Operation *nest = nullptr; ///< the `cpu.nest` that the group was read from
  llvm::SmallVector<FusionRoot> roots;
  llvm::SmallVector<int64_t, 4> shape;
  int axis = -1;       ///< the dimension that the nest reduces
  DemandedMask demand; ///< the elements that the nest has to compute
  LoopVersions versions;
  BoundedDims bounds; ///< the loops that the mask of `demand` bounds
  StorePlan stores;
  llvm::SmallVector<MemoryAccess> reads, writes;

  NestConfig config;                  ///< of a nest or a scan
  bool isEpilogue = false;            ///< runs on each tile of a matmul
  std::unique_ptr<MatmulPlan> matmul; ///< of a matmul
  std::unique_ptr<RegionPlan> region; ///< of structured control flow
};

using FusionGroups = std::vector<std::unique_ptr<FusionGroup>>;

/// A fusion group, or a scalar op without effects.
struct ScheduledOp {
  FusionGroup *unit = nullptr;
  mlir::Operation *scalar = nullptr;
};

/// The steps of one block of a region, in order.
struct Schedule {
  FusionGroups units;
  std::vector<ScheduledOp> steps;
};

/// Values and the blocks to whose buffers they are written.
using Targets = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;

/// Copies, and the nests that make them.
struct CopyPlan {
  Targets copies;
  FusionGroups nests;
};

/// A loop-carried block whose only use in the loop is the addition of a matmul.
struct AccumulatedMatmul {
  unsigned index; ///< number of the loop's result
  mlir::linalg::LinalgOp matmul;
  bool startsWithZero;             ///< the first iteration starts from zero instead of copying the initial value
  FusionGroup *epilogue = nullptr; ///< runs on each tile of the last iteration
};

/// Decisions about an `scf.for`, `scf.if` or `scf.while`.
struct RegionPlan {
  CopyPlan inits;          ///< copies of initial values before a loop
  bool mayBeEmpty = false; ///< the work of the first and last iteration is also emitted for a trip count of zero
  CopyPlan whenEmpty;      ///< for a trip count of zero: zeros for the blocks with `startsWithZero`
  llvm::SmallVector<AccumulatedMatmul> accumulated;
  Targets inPlace;                       ///< yielded blocks that are computed in the buffers of carried blocks
  llvm::SmallVector<mlir::Value> spares; ///< results whose buffers hold a carried block until the iteration's end
  llvm::SmallVector<Schedule, 2> bodies; ///< one for each block
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_PLAN_H
