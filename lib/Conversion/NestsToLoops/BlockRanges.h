//===- BlockRanges.h - Ranges of integers in blocks -------------------------===//
//
// Integers wrap in Triton, including the offsets of addresses. A stride holds modulo the width in which it was
// computed. In a wider type, or in a comparison, it only holds if no integer of the block wraps.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H

#include "EmissionContext.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

/// The range of the integers of a block, computed without wrapping. Each end is a constant, plus an i64 that is
/// available before the loops unless it is null.
struct Interval {
  struct End {
    mlir::Value scalar;
    int64_t plus = 0;
  };
  End low, high;
  double most = 0; ///< bounds the magnitude of the scalars, which must not wrap in 64 bits
};

class BlockRanges {
public:
  BlockRanges(EmissionContext &context, LaneEmitter &lanes) : context(context), lanes(lanes) {}

  enum class Signs { Signed, Unsigned, NonNegative };

  /// Returns true if `scalar` does not wrap in any iteration of the loops of `op`, and is not negative if `signs` says
  /// so. Requirements that are only known at run time, before the loops, are appended to `conditions`; without
  /// `conditions` they make the result false.
  bool neverWraps(mlir::linalg::LinalgOp op, mlir::Value scalar, Signs signs,
                  llvm::SmallVectorImpl<mlir::Value> *conditions);

private:
  std::optional<Interval> ofBody(mlir::linalg::LinalgOp op, mlir::Value scalar);
  std::optional<Interval> compute(mlir::linalg::LinalgOp op, mlir::Operation *def);
  std::optional<Interval> ofBlock(mlir::Value block);
  std::optional<Interval> ofScalar(mlir::Value scalar);
  std::optional<Interval> ofType(mlir::Type type) const;
  std::optional<Interval> add(const Interval &lhs, const Interval &rhs, bool subtracts);
  std::optional<Interval> multiply(const Interval &lhs, const Interval &rhs, unsigned width);
  std::optional<Interval> scale(const Interval &value, int64_t factor);
  std::optional<Interval> divide(mlir::linalg::LinalgOp op, mlir::Operation *def);
  std::optional<Interval> widen(mlir::linalg::LinalgOp op, mlir::Value narrow, bool isSigned);
  mlir::Value whole(const Interval::End &end);
  mlir::Value constant(int64_t number);
  bool check(const Interval &interval, unsigned width, Signs signs, llvm::SmallVectorImpl<mlir::Value> *into);

  EmissionContext &context;
  LaneEmitter &lanes;
  bool isSigned = true; ///< how integers are interpreted in the current query
  llvm::SmallVectorImpl<mlir::Value> *conditions = nullptr;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> known;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H
