//===- BlockWriter.h - Writes the steps of a block, in order ---------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_BLOCKWRITER_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_BLOCKWRITER_H

#include "Schedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

class BlockWriter {
public:
  explicit BlockWriter(Kernel &kernel) : kernel(kernel) {}

  using Targets = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;
  /// Writes all of `block` but its terminator at the builder's place, and then the blocks of `results` to the buffers
  /// of their targets.
  mlir::LogicalResult write(mlir::Block &block, llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> results);

private:
  mlir::LogicalResult writeScalar(mlir::Operation *op);
  mlir::LogicalResult writeUnit(Unit &unit);
  mlir::LogicalResult writeStructured(mlir::Operation *op);
  mlir::LogicalResult writeFor(mlir::scf::ForOp loop);
  Targets writeLoopInits(mlir::scf::ForOp loop);
  void setAccumulations(mlir::scf::ForOp loop, mlir::scf::ForOp emitted);
  void writeWithoutTurns(mlir::scf::ForOp loop, mlir::scf::ForOp emitted, const Targets &late);
  mlir::LogicalResult writeIf(mlir::scf::IfOp branch);
  mlir::LogicalResult writeWhile(mlir::scf::WhileOp loop);

  /// Copies `values` to the buffers of `targets`, making those.
  void writeInits(mlir::ValueRange values, mlir::ValueRange targets);
  /// What has to be written where at the end of a loop body, in an order in which no old value is lost.
  Targets orderYields(mlir::Block &body, mlir::ValueRange yielded, mlir::ValueRange carried, mlir::ValueRange spare);
  bool tryInPlace(mlir::Value yielded, mlir::Value carried);
  llvm::SmallVector<mlir::Value> scalarsOf(mlir::ValueRange values);

  Kernel &kernel;
};

/// Writes `tt.dot` in linalg form as register tiles.
void writeProduct(Kernel &kernel, mlir::linalg::LinalgOp op);
/// Writes `tt.scan`.
void writeScan(Kernel &kernel, mlir::Operation *op);
void writeHistogram(Kernel &kernel, mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_BLOCKWRITER_H
