//===- ElementEmitter.h - Code of the elements of blocks in a loop nest ---------===//
//
// Emits the code that computes an element, or a vector of elements, of a block through all linalg ops that it is
// computed from. The results for each index are cached until the loop that contains them is closed.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H

#include "EmissionContext.h"
#include "blockdsl/Analysis/BlockRanges.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace blockdsl {

using Position = llvm::ArrayRef<LaneValue>;

class ElementEmitter {
public:
  ElementEmitter(EmissionContext &context, LaneEmitter &lanes)
      : context(context), lanes(lanes),
        ranges([&context](mlir::Value block) { return context.getBuffer(block) != nullptr; }) {
    scopes.emplace_back();
  }

  /// Returns the element of `block` at `position`, one index for each dimension.
  LaneValue get(mlir::Value block, Position position);

  /// Returns the value of `scalar`, in the body of `op`, at the indices `loops` of the loops of `op`.
  LaneValue getInBody(mlir::linalg::LinalgOp op, mlir::Value scalar, Position loops);

  /// Sets the value of `block` at `position` within the innermost open level, for instance of a mask that is true
  /// within the loop bounds.
  void assume(mlir::Value block, Position position, LaneValue value);

  /// Open and close a level of loops and its cache.
  void enter(mlir::Block *body);
  void leave();

  /// Returns the address of an element of a buffer.
  LaneValue addressOf(const Buffer &buffer, Position position);
  /// Loads an element of a buffer, outside of the loops on which its index does not depend: none of these may write it.
  LaneValue readBuffer(const Buffer &buffer, Position position);
  void writeBuffer(const Buffer &buffer, Position position, LaneValue value, std::optional<LaneValue> mask);

  LaneEmitter &getLanes() { return lanes; }

  /// Emits `body` once, or in several versions that are selected by tests before them. Where neither integers nor
  /// remainders wrap within the lanes, addresses are contiguous. Returns the scalars that `body` returns in the version
  /// that is selected.
  enum class Version {
    NoWrap,      ///< neither integers nor remainders wrap; the only version if no test is needed
    ModuloWraps, ///< remainders may wrap
    Generic,     ///< integers may wrap too, which is rare
  };
  Values emitVersioned(llvm::function_ref<Values(Version)> body);

  /// Returns true if `scalar` does not wrap in any iteration of the loops of `op`, so that its strides hold without
  /// modulo. May add a test to the version that is being emitted.
  bool hasStrides(mlir::linalg::LinalgOp op, mlir::Value scalar, bool isSigned);

  /// Runs `body` with an empty cache that is dropped afterwards.
  void runIsolated(llvm::function_ref<void()> body);

  /// Runs `body` like `runIsolated`, for addresses of prefetches, which need not be correct: remainders are assumed not
  /// to wrap. The indices may be out of bounds, so no memory is read. Returns false if an address depends on memory.
  bool runSpeculatively(llvm::function_ref<void()> body);

private:
  using Key = std::pair<void *, unsigned>;
  LaneValue compute(mlir::Value block, Position position);
  LaneValue computeInBody(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  LaneValue zero(mlir::Type element);
  LaneValue cloneRegionOp(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  std::optional<LaneValue> remainderWithoutWrap(mlir::linalg::LinalgOp op, mlir::Operation *def,
                                                llvm::ArrayRef<LaneValue> operands, Position loops);
  void checkStrides(mlir::linalg::LinalgOp op, mlir::Operation *def, llvm::MutableArrayRef<LaneValue> operands);
  bool provesNoWrap(mlir::linalg::LinalgOp op, mlir::Value scalar, BlockRanges::Signs signs, bool mayTest);
  LaneValue divide(LaneValue index, int64_t by, bool remainder);
  unsigned idOf(Position position);
  std::optional<LaneValue> find(Key key) const;
  void remember(Key key, LaneValue value, unsigned level);

  EmissionContext &context;
  LaneEmitter &lanes;
  BlockRanges ranges;
  bool optimistic = false;     ///< tests may be added to `conditions` to rule out wrapping
  bool remaindersStay = false; ///< also for remainders
  bool hasRemainders = false;  ///< a condition is about a remainder
  bool isSpeculative = false;  ///< memory must not be read
  bool needsNoReads = false;   ///< no speculative value depends on memory so far
  llvm::SmallVector<mlir::Value> conditions;
  std::vector<std::map<Key, LaneValue>> scopes;
  std::map<llvm::SmallVector<std::tuple<void *, int64_t, int64_t>>, unsigned> positions;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H
