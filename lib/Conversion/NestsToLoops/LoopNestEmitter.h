//===- LoopNestEmitter.h - Emitter of a loop nest -------------------------------------===//
//
// A nest runs over the elements of a block, along one dimension in vectors, and computes all its consumers in the same
// loops: stores, writes to buffers, reductions.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPNESTEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPNESTEMITTER_H

#include "Combiner.h"
#include "ElementEmitter.h"
#include "Masks.h"
#include "blockdsl/Plan/Plan.h"

namespace blockdsl {

class LoopNestEmitter {
public:
  LoopNestEmitter(EmissionContext &context, const FusionGroup &unit);
  /// Emits the loops at the builder's insertion point. The results of full reductions become scalars of the kernel. A
  /// write root without a target is written to `copy`.
  void emit(std::optional<Buffer> copy = std::nullopt);
  /// Emits the part of a two-dimensional nest of stores that starts at `row` and `column`.
  void emitTile(mlir::Value row, int64_t rows, mlir::Value column, int64_t columns);

private:
  using Body = llvm::function_ref<Values(Values)>;
  void findBounds();
  void emitTileRows(mlir::Value row, int64_t rows, mlir::Value column, int64_t columns);
  Values emitVersion(ElementEmitter::Version version);
  void emitFrom(unsigned depth);
  mlir::Value coversBlock(llvm::ArrayRef<int> dims);
  void emitBands(int dim);
  void emitAllBands(int dim);
  void emitStrip(int dim, mlir::Value first, mlir::Value end, bool isWhole);
  void readAcross(mlir::Value first, mlir::Value end, mlir::Value left, mlir::Value last, bool isWhole);
  void readSquare(int across, mlir::Value row, mlir::Value from, mlir::Value lane, mlir::Value left, mlir::Value last);
  void emitRow(mlir::Value first);
  unsigned countMerged() const;
  void emitMerged(unsigned dims);
  Values loopOver(int dim, Values accumulators, bool skipFirst, Body body);
  Values laneLoop(int dim, Values accumulators, bool skipFirst, Body body);
  Values restOfLanes(int dim, mlir::Value start, mlir::Value end, mlir::Value rest, Values accumulators, Body body);
  Values lastLanes(mlir::Value start, mlir::Value end, Values accumulators, Body body);
  /// `overruns`: the vector may end beyond the block.
  Values maskedStep(mlir::Value start, mlir::Value low, mlir::Value high, Values accumulators, Body body,
                    bool overruns = false);
  Values countedLoop(int dim, mlir::Value low, mlir::Value high, int64_t step, Values accumulators, Body body);
  std::pair<mlir::Value, int64_t> storeAddress(const FusionRoot &root, mlir::Value start);
  mlir::Value isAligned(mlir::Value start);
  mlir::Value alignStores(mlir::Value start, mlir::Value end, Body body);

  Values emitBody(Values accumulators);
  Values startAccumulators(int dim, bool &skipFirst);
  mlir::Value elementOutside(ReduceOp reduce);
  Values narrow(Values accumulators);
  void finishReductions(Values accumulators);
  void setPosition(int dim, mlir::Value index);
  llvm::SmallVector<LaneValue> positionOf(const View &view);
  void assumeMask();
  mlir::Value bound(int dim, bool high);
  bool hasSingleStep(int dim) const { return unit.shape[dim] <= (dim == shape.laneDim ? shape.lanes : 1); }

  EmissionContext &context;
  const FusionGroup &unit;
  NestConfig shape;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  MaskBounds bounds;
  llvm::SmallVector<LaneValue> position;
  llvm::SmallVector<unsigned> dimLevel; ///< the level of the loop along each dimension
  std::optional<LaneValue> tailMask;
  llvm::SmallVector<Buffer> transposed; ///< a strip of each transposed block: rows by the lanes of a step
  llvm::SmallVector<Buffer> written;    ///< the buffers of the write roots, in order
  bool streaming = false;
  bool startsAnywhere = false; ///< steps need not start at multiples of their length
  bool isUnlikely = false;     ///< rarely run: small code is better than fast code
  bool isOfTile = false;       ///< runs over one tile of a matmul, with rolled loops
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LOOPNESTEMITTER_H
