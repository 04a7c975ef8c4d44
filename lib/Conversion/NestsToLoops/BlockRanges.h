//===- BlockRanges.h - Ranges of integers in blocks -------------------------===//
//
// Integers wrap in Triton, and so do the numbers that addresses are made of. A stride holds in as many bits as it was
// computed in; it is one in more bits, or between two numbers that are compared, only where nothing in the block wraps.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H

#include "EmissionContext.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace blockdsl {

/// What the integers of a block lie between, had each sum and product on the way room enough. Each end is a number
/// known before the loops, an i64 or none, plus a constant.
struct Interval {
  struct End {
    mlir::Value scalar;
    int64_t plus = 0;
  };
  End low, high;
  double most = 0; ///< no scalar's magnitude is larger: they are computed in 64 bits, and must not wrap there
};

class BlockRanges {
public:
  BlockRanges(EmissionContext &context, LaneEmitter &lanes) : context(context), lanes(lanes) {}

  enum class Signs { Signed, Unsigned, NonNegative };

  /// Whether `scalar`, wherever the loops of `op` are, is what it would be in more bits: a number of its type, and no
  /// negative one if so asked. Appends to `conditions` what has to hold for that and is known before the loops only;
  /// without them, what is not certain is not so.
  bool stays(mlir::linalg::LinalgOp op, mlir::Value scalar, Signs signs,
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
  bool isSigned = true; ///< what is asked now
  llvm::SmallVectorImpl<mlir::Value> *conditions = nullptr;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> known;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_BLOCKRANGES_H
