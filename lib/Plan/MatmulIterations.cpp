//===- MatmulIterations.cpp - Iterations of a loop in one matmul ---------===//
//
// A loop along the common dimension adds the product of two small blocks to the sums in each iteration, and each time
// all sums are read and written. If the loop does nothing else, the operands of several iterations are packed first,
// and each tile of sums stays in registers for all of them.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Plan/MatmulPlan.h"

using namespace mlir;

namespace blockdsl {

/// A packed operand of all merged iterations is at most so large, of a second cache of 1 or 2 MiB.
constexpr int64_t kPackedBytes = 512 << 10;

constexpr int64_t kMostIterations = 64;

/// The right side that stays packed for the next programs is at most so large.
constexpr int64_t kKeptBytes = 1 << 20;

constexpr int64_t kWordBytes = 4;

static bool isPacked(const OperandPlan &plan) {
  return plan.layout != OperandPlan::Layout::InPlace && !plan.words.isBuffer;
}

bool isMergeable(const MatmulPlan &matmul) {
  return isPacked(matmul.lhs.plan) && isPacked(matmul.rhs.plan) &&
         cast<RankedTensorType>(matmul.lhs.block.getType()).getRank() == 2;
}

bool canReadRowsInPlace(const MatmulPlan &matmul) {
  const MatmulOperand &operand = matmul.lhs;
  auto type = cast<RankedTensorType>(operand.block.getType());
  LoadOp load = operand.load;
  const WordFormat &words = operand.plan.words;
  if (!load || load.getIsVolatile() || operand.plan.layout == OperandPlan::Layout::Copied || words.flip != 0)
    return false;
  auto yielded = cast<linalg::YieldOp>(load->getBlock()->getTerminator());
  bool isWhole = type.getDimSize(operand.common) == matmul.depth * words.group;
  return isWhole && words.alongCommon && yielded.getOperand(0) == load.getResult() &&
         (!load.getMask() || isa<BlockArgument>(load.getMask()));
}

void planIterations(MatmulPlan &matmul, std::optional<APInt> tripCount, bool isConstant) {
  bool isInPlace = canReadRowsInPlace(matmul);
  bool isPerTile = !isInPlace && matmul.lhs.plan.layout == OperandPlan::Layout::RowsPerTile;
  int64_t rows = isPerTile ? matmul.tileRows : isInPlace ? 0 : matmul.rows;
  int64_t partBytes = std::max(rows, matmul.columns) * matmul.depth * kWordBytes;
  int64_t most = std::min(kMostIterations, kPackedBytes / partBytes * matmul.iterationsPerPart());
  if (tripCount && tripCount->ult(most))
    most = tripCount->getZExtValue();
  matmul.iterations = std::max<int64_t>(most, 1);
  if (matmul.iterations == 1)
    return;
  if (isInPlace) {
    matmul.lhs.plan.tryInPlace = true;
    matmul.lhs.plan.layout = OperandPlan::Layout::Words;
  }
  // A program packs the same as the one before it wherever the addresses are the same.
  if (!isConstant || matmul.rhs.plan.layout == OperandPlan::Layout::RowsPerTile)
    return;
  int64_t parts = llvm::divideCeil(matmul.iterations, matmul.iterationsPerPart());
  int64_t groupBytes = parts * matmul.columns * matmul.depth * kWordBytes;
  matmul.rhs.plan.kept = std::max<int64_t>(1, kKeptBytes / groupBytes);
  if (tripCount)
    matmul.rhs.plan.kept = std::min<int64_t>(matmul.rhs.plan.kept,
                                             llvm::divideCeil(tripCount->getLimitedValue(1 << 30), matmul.iterations));
}

} // namespace blockdsl
