//===- BlockRanges.h - Ranges of integers in blocks -------------------------===//
//
// Integers wrap in Triton, including the offsets of addresses. A stride holds modulo the width in which it was
// computed. In a wider type, or in a comparison, it only holds if no integer of the block wraps.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_BLOCKRANGES_H
#define BLOCKDSL_ANALYSIS_BLOCKRANGES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <functional>
#include <optional>

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace blockdsl {

/// A step of a computation on i64, from scalars outside of blocks. The analysis creates no op: LoopVersioning.cpp in
/// NestsToLoops does, for the conditions that a version of loops is tested for.
struct RangeScalar {
  enum class Kind { Source, Constant, Add, Sub, Mul, Min, Max, Div, AtLeast, AtMost, Above };
  Kind kind;
  unsigned number = 0;  ///< in order of creation, operands first
  mlir::Value source;   ///< of `Source`, which is extended to i64
  int64_t constant = 0; ///< of `Constant`; for `Source` 1 if it is extended as a signed number
  const RangeScalar *lhs = nullptr, *rhs = nullptr;
};

using RangeScalars = llvm::SmallVector<const RangeScalar *>;

/// The range of the integers of a block, computed without wrapping. Each end is a constant, plus a scalar unless it is
/// null.
struct Interval {
  struct End {
    const RangeScalar *scalar = nullptr;
    int64_t plus = 0;
  };
  End low, high;
  double most = 0; ///< bounds the magnitude of the scalars, which must not wrap in 64 bits
};

class BlockRanges {
public:
  /// `isInMemory`: blocks that are read from memory, whose integers may be any.
  explicit BlockRanges(std::function<bool(mlir::Value)> isInMemory) : isInMemory(std::move(isInMemory)) {}

  enum class Signs { Signed, Unsigned, NonNegative };

  /// Returns true if `scalar` does not wrap in any iteration of the loops of `op`, and is not negative if `signs` says
  /// so. Requirements that are only known at run time, before the loops, are appended to `conditions`; without
  /// `conditions` they make the result false. The conditions are valid until the next call.
  bool neverWraps(mlir::linalg::LinalgOp op, mlir::Value scalar, Signs signs, RangeScalars *conditions);

private:
  using Kind = RangeScalar::Kind;
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
  const RangeScalar *whole(const Interval::End &end);
  const RangeScalar *constant(int64_t number);
  const RangeScalar *create(Kind kind, const RangeScalar *lhs, const RangeScalar *rhs);
  const RangeScalar *add(RangeScalar scalar);
  bool check(const Interval &interval, unsigned width, Signs signs, RangeScalars *into);

  /// The interpretation of integers in a query, and the ranges that are known in it. A narrower integer is a query of
  /// its own.
  struct Query {
    bool isSigned = true;
    llvm::DenseMap<mlir::Value, std::optional<Interval>> known;
  };
  template <typename Body> auto inQuery(bool isSigned, Body body);

  std::function<bool(mlir::Value)> isInMemory;
  std::deque<RangeScalar> scalars;
  RangeScalars *conditions = nullptr;
  Query query;
};

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_BLOCKRANGES_H
