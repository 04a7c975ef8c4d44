//===- RegionEmitter.h - Emitter of a schedule's steps ------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_REGIONEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_REGIONEMITTER_H

#include "EmissionContext.h"
#include "blockdsl/Plan/Plan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

class RegionEmitter {
public:
  explicit RegionEmitter(EmissionContext &context) : context(context) {}

  /// Emits the steps of a block at the builder's insertion point.
  mlir::LogicalResult emit(const Schedule &schedule);

private:
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult emitUnit(const FusionGroup &unit);
  void aliasResults(const FusionGroup &unit);
  void emitNest(const FusionGroup &unit);
  mlir::LogicalResult emitStructured(const FusionGroup &unit);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop, const RegionPlan &plan);
  mlir::LogicalResult emitMergedFor(mlir::scf::ForOp loop, const RegionPlan &plan, const MatmulPlan &matmul);
  void setAccumulations(mlir::scf::ForOp loop, mlir::scf::ForOp emitted, const RegionPlan &plan);
  void bind(mlir::ValueRange sources, mlir::ValueRange emitted, mlir::ValueRange carried);
  void emitWithoutIterations(mlir::scf::ForOp emitted, const RegionPlan &plan);
  mlir::LogicalResult emitIf(mlir::scf::IfOp branch, const RegionPlan &plan);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp loop, const RegionPlan &plan);
  void emitCopies(const CopyPlan &plan);
  llvm::SmallVector<mlir::Value> scalarsOf(mlir::ValueRange values);

  EmissionContext &context;
};

/// The iterations of a loop that one matmul multiplies together.
struct MergedIterations {
  mlir::Value group; ///< number of this group of iterations, an index
  mlir::Value count; ///< iterations of this group, an index
  /// Emits a loop over them: their scalars, and the code that the callback emits for the index of each.
  std::function<mlir::scf::ForOp(llvm::function_ref<void(mlir::Value)>)> emit;
};

/// Emits a matmul as register tiles.
void emitMatmul(EmissionContext &context, mlir::linalg::LinalgOp op, const MatmulPlan &plan,
                const MergedIterations *merged = nullptr);
void emitScan(EmissionContext &context, const FusionGroup &unit);
void emitHistogram(EmissionContext &context, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_REGIONEMITTER_H
