//===- MatmulEmitter.h - Emitter of a matmul --------------------------------------===//
//
// MatmulEmitter.cpp packs the operands and emits the loops over tiles, MatmulMicrokernel.cpp emits one tile of the
// result, and MatmulPrefetch.cpp the prefetches of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MATMULEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MATMULEMITTER_H

#include "DotEmitter.h"
#include "LoopHints.h"
#include "LoopNestEmitter.h"
#include "RegionEmitter.h"
#include "VNNIPacker.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace blockdsl {

mlir::Value offsetIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, int64_t by);

class MatmulEmitter {
public:
  MatmulEmitter(EmissionContext &context, mlir::linalg::LinalgOp op, const MatmulPlan &plan,
                const MergedIterations *merged = nullptr);
  void emit();

private:
  struct Operand {
    const MatmulOperand &plan;
    const OperandPlan *packing; ///< `plan.plan`, or `plan.whenWrapping`
    Buffer packed;
    bool swapped = false;                ///< the packed buffer has the block's last two dimensions in the other order
    std::optional<MaskBounds> nonzero{}; ///< the bounds of the load's mask, if masked-off elements are zero
    mlir::Value low, high;               ///< bounds of the steps under the mask; null for no bound

    explicit Operand(const MatmulOperand &plan) : plan(plan), packing(&plan.plan) {}
    mlir::Value block() const { return plan.block; }
    LoadOp load() const { return plan.load; }
    mlir::linalg::LinalgOp map() const { return plan.map; }
    bool isInPlace() const { return packing->layout == OperandPlan::Layout::InPlace; }
    bool isPerTile() const { return packing->layout == OperandPlan::Layout::RowsPerTile; }
    bool hasPanels() const { return packing->words.panel != 0; }
  };
  /// Memory that a tile prefetches while it multiplies.
  struct Fetch {
    mlir::Value pointer; ///< address in the first iteration of the loop over the common dimension
    mlir::Value bytes;   ///< distance between iterations, an i64
  };
  /// Up to so many rows are read in place at offsets from the first one. The offsets are loaded, because LLVM would
  /// turn multiples of a distance into a chain of additions, one for each element that is read.
  static constexpr int64_t kMostRowOffsets = 8;

  void findUsedPart();

  // Several iterations of the enclosing loop.
  void packIterations();
  void packIteration(Operand &operand, PackedIteration iteration);
  void storeBounds(mlir::Value iteration);
  void packOrFindRows(mlir::Value iteration);
  void storeRows(mlir::Value iteration, mlir::Value address, mlir::Value pitch);
  void keepPacked(mlir::scf::ForOp packing);
  void packRowsOfIterations(mlir::Value row);
  int64_t partsOf(int64_t iterations) const { return llvm::divideCeil(iterations, plan.iterationsPerPart()); }
  Values runIterations(Values start, llvm::function_ref<Values(Values)> body);

  // Operands.
  void findBounds(Operand &operand);
  bool hasCommonBounds() const;
  void boundSteps();
  bool staysInside(const Operand &operand) const;
  void pack(Operand &operand);
  void packIn(Operand &operand, WordRange range);
  void packAll();
  void packRows(mlir::Value row);
  LaneValue read(const Operand &operand, llvm::SmallVector<LaneValue> where);
  LaneValue readLeft(mlir::Value row, int64_t down, LaneValue k);
  llvm::SmallVector<LaneValue> inPanel(LaneValue k, mlir::Value column, int64_t vector);
  LaneValue readRight(LaneValue k, mlir::Value column, int64_t vector);
  llvm::SmallVector<LaneValue> inBatch(llvm::ArrayRef<LaneValue> where);
  void emitBatches(llvm::function_ref<void()> body);
  void emitTiles();

  // One tile, in vectors.
  using LeftFn = llvm::function_ref<mlir::Value(int64_t row, LaneValue k)>;
  void packCorrection();
  LaneValue columnAt(mlir::Value column, int64_t vector);
  llvm::SmallVector<LaneValue> rowsFrom(mlir::Value row);
  llvm::SmallVector<LaneValue> columnsFrom(mlir::Value column);
  void assumeMasks(LaneValue k);
  std::pair<mlir::Value, mlir::Value> commonRange(int64_t unroll);
  Values multiply(Values sums, LaneValue k, mlir::Value column, LeftFn left);
  Values runSteps(Values start, mlir::Value column, llvm::ArrayRef<Fetch> fetches, LeftFn left);
  Values runCommon(Values start, mlir::Value column, llvm::ArrayRef<Fetch> fetches, LeftFn left);
  mlir::Value narrow(mlir::Value value, mlir::Type element);
  Values startSums(llvm::ArrayRef<LaneValue> rowAt, llvm::ArrayRef<LaneValue> columnAt);
  void emitTile(mlir::Value row, mlir::Value column);
  void storeComplete(mlir::Value row, mlir::Value column);

  // Prefetches.
  void findNextScalars();
  llvm::SmallVector<Fetch> startFetches(mlir::Value row, mlir::Value column);
  void startFetches(Operand &operand, mlir::Value first, mlir::Value other, llvm::SmallVectorImpl<Fetch> &fetches);
  void startRows(Operand &operand, mlir::Value first, mlir::Value number, int64_t share, int64_t extent,
                 llvm::SmallVectorImpl<Fetch> &fetches);
  void startColumns(Operand &operand, mlir::Value first, mlir::Value number, int64_t tiles, int64_t lines,
                    llvm::SmallVectorImpl<Fetch> &fetches);
  mlir::Value addressOfNext(const Operand &operand, mlir::Value other, mlir::Value common);
  mlir::Value emitFetch(mlir::Value pointer, mlir::Value bytes);
  void fetchLines(llvm::function_ref<LaneValue(int64_t vector)> addressOf);
  void fetchPanel(mlir::Value k, mlir::Value column);
  void fetchSums(llvm::ArrayRef<LaneValue> rowAt, mlir::Value column);

  // One tile, in AMX registers.
  Values startTiles(mlir::Value row, mlir::Value column, llvm::ArrayRef<TileInMemory> places);
  Values multiplyTilesAt(Values start, mlir::Value row, mlir::Value column, mlir::Value k);
  Values multiplyTiles(Values start, mlir::Value row, mlir::Value column);
  TileInMemory leftTileAt(mlir::Value row, mlir::Value k, int64_t down);
  int64_t countRowOffsets() const;
  mlir::Value addressInRows(mlir::Value row, mlir::Value k, int64_t down);
  mlir::Value pointerInRows(mlir::Value row, mlir::Value k, int64_t down);
  TileInMemory tileInRows(mlir::Value row, mlir::Value k, int64_t down);
  TileInMemory tileAt(const Buffer &buffer, mlir::Value row, mlir::Value column, int64_t down, int64_t right);
  void emitMatrixTile(mlir::Value row, mlir::Value column);

  /// Emits a loop around `body`, or `body` alone if there is a single step. `end` replaces `size` unless it is null.
  template <typename BodyFn>
  void loop(int64_t size, int64_t step, BodyFn body, mlir::Value end = {}, int64_t start = 0) {
    mlir::OpBuilder &b = lanes.here();
    mlir::Value low = mlir::arith::ConstantIndexOp::create(b, op->getLoc(), start);
    if (size == start + step && !(end && start != 0))
      return body(low);
    mlir::Value high = end ? end : mlir::arith::ConstantIndexOp::create(b, op->getLoc(), size);
    mlir::Value stepValue = mlir::arith::ConstantIndexOp::create(b, op->getLoc(), step);
    auto emitted = mlir::scf::ForOp::create(b, op->getLoc(), low, high, stepValue);
    keepRolled(emitted);
    elementEmitter.enter(emitted.getBody());
    body(emitted.getInductionVar());
    elementEmitter.leave();
  }

  EmissionContext &context;
  mlir::linalg::LinalgOp op;
  const MatmulPlan &plan;
  llvm::ArrayRef<int64_t> shape;   ///< shape of the result
  mlir::Value rowsEnd, columnsEnd; ///< end of the part of the result that is used; null for all of it
  int64_t tileRows;                ///< rows of the current tile, fewer in the last one
  bool isRight(const Operand &operand) const { return &operand == &rhs; }
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  llvm::SmallVector<LaneValue> batch; ///< the index of a batched matmul
  Accumulation accumulation;
  Operand lhs, rhs;
  MaskBounds bounds;                   ///< bounds of the common dimension
  llvm::SmallVector<MaskPart> assumed; ///< parts of the right side's mask that are true within the bounds
  std::optional<Buffer> correction;    ///< the bias of each column's sums, to be subtracted
  Buffer result;
  const MergedIterations *merged;        ///< null for a single iteration
  std::optional<Buffer> iterationBounds; ///< `bounds` of each merged iteration
  /// For each merged iteration the address of the left side's first row, and the offsets of the next ones, as i64.
  std::optional<Buffer> rowsInMemory;
  mlir::Value leftRows;                      ///< the address in the current iteration
  llvm::SmallVector<mlir::Value> rowOffsets; ///< the offsets in the current iteration
  mlir::Value firstKept;                     ///< the first part of the right side's buffer, if it is kept
  PackedIteration packedIteration;           ///< the iteration whose operands are being packed
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> nextScalars; ///< scalars of the enclosing loop, next values
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_MATMULEMITTER_H
