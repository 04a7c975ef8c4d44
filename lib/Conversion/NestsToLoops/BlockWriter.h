//===- BlockWriter.h - Emits the steps of a schedule ------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKWRITER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKWRITER_H

#include "EmissionContext.h"
#include "blockdsl/Plan/Plan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

class BlockWriter {
public:
  explicit BlockWriter(EmissionContext &context) : context(context) {}

  /// Writes the steps of a block at the builder's insertion point.
  mlir::LogicalResult write(const Schedule &schedule);

private:
  mlir::LogicalResult writeScalar(mlir::Operation *op);
  mlir::LogicalResult writeUnit(const FusionGroup &unit);
  void aliasResults(const FusionGroup &unit);
  void writeNest(const FusionGroup &unit);
  mlir::LogicalResult writeStructured(const FusionGroup &unit);
  mlir::LogicalResult writeFor(mlir::scf::ForOp loop, const RegionPlan &plan);
  mlir::LogicalResult writeMergedFor(mlir::scf::ForOp loop, const RegionPlan &plan, const MatmulPlan &matmul);
  void setAccumulations(mlir::scf::ForOp loop, mlir::scf::ForOp emitted, const RegionPlan &plan);
  void bind(mlir::ValueRange sources, mlir::ValueRange emitted, mlir::ValueRange carried);
  void writeWithoutIterations(mlir::scf::ForOp emitted, const RegionPlan &plan);
  mlir::LogicalResult writeIf(mlir::scf::IfOp branch, const RegionPlan &plan);
  mlir::LogicalResult writeWhile(mlir::scf::WhileOp loop, const RegionPlan &plan);
  void writeCopies(const CopyPlan &plan);
  llvm::SmallVector<mlir::Value> scalarsOf(mlir::ValueRange values);

  EmissionContext &context;
};

/// The iterations of a loop that one matmul multiplies together.
struct MergedIterations {
  mlir::Value group; ///< how many groups of iterations came before, an index
  mlir::Value count; ///< iterations of this group, an index
  /// Emits a loop over them at the builder's place: their scalars, and the code that is emitted for the index of each.
  std::function<mlir::scf::ForOp(llvm::function_ref<void(mlir::Value)>)> emit;
};

/// Writes `tt.dot` in linalg form as register tiles.
void writeProduct(EmissionContext &context, mlir::linalg::LinalgOp op, const MatmulPlan &plan,
                  const MergedIterations *merged = nullptr);
/// Writes `tt.scan`.
void writeScan(EmissionContext &context, const FusionGroup &unit);
void writeHistogram(EmissionContext &context, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKWRITER_H
