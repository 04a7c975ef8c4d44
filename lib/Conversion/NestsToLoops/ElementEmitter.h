//===- ElementEmitter.h - The value of a block at one place of a loop nest ------===//
//
// Writes the code that computes an element (or a vector of elements) of a block, through all the linalg ops it is
// made of. A value is computed once a place: results are remembered for as long as the loop they sit in is open.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H

#include "BlockRanges.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace blockdsl {

using Position = llvm::ArrayRef<LaneValue>;

class ElementEmitter {
public:
  ElementEmitter(EmissionContext &context, LaneEmitter &lanes)
      : context(context), lanes(lanes), ranges(context, lanes) {
    scopes.emplace_back();
  }

  /// The element of `block` at `position`, one index for each of its dimensions.
  LaneValue get(mlir::Value block, Position position);

  /// The value of `scalar`, which sits in the body of `op`, when the loops of `op` are at `loops`.
  LaneValue getInBody(mlir::linalg::LinalgOp op, mlir::Value scalar, Position loops);

  /// Declares what `block` is at `position` for as long as the innermost open level lives: a mask that loop
  /// bounds have made true.
  void assume(mlir::Value block, Position position, LaneValue value);

  /// Opens and closes a level of loops together with what is remembered in it.
  void enter(mlir::Block *body);
  void leave();

  /// Where an element of a buffer is.
  LaneValue addressOf(const Buffer &buffer, Position position);
  /// An element of a buffer that no loop around changes: it is read before those that do not count where it is.
  LaneValue readBuffer(const Buffer &buffer, Position position);
  void writeBuffer(const Buffer &buffer, Position position, LaneValue value, std::optional<LaneValue> mask);

  LaneEmitter &getLanes() { return lanes; }

  /// Writes `body` once, or several times under tests made before it: for when no number wraps and no remainder starts
  /// anew within the lanes, so that addresses stay contiguous, and for all else. `body` gives scalars, and so does
  /// this, of whichever version has run.
  enum class Version {
    NoWrap,      ///< no integer wraps, and no remainder; the only version where nothing has to be tested
    ModuloWraps, ///< a remainder wraps
    Generic,     ///< integers wrap, as in hardly any program
  };
  Values emitVersioned(llvm::function_ref<Values(Version)> body);

  /// Whether `scalar`, wherever the loops of `op` are, has as an integer the strides that it has modulo its width.
  /// Where versions are written this may be under a test.
  bool hasStrides(mlir::linalg::LinalgOp op, mlir::Value scalar, bool isSigned);

  /// Runs `body` with nothing remembered from before, or for later.
  void apart(llvm::function_ref<void()> body);

  /// Runs `body`, which computes addresses that need not be right, as prefetches do: nothing is remembered from before
  /// or for later, and no remainder wraps. What it computes may lie beyond a block, where nothing can be read: false
  /// where it would have to be, and the address is of no use.
  bool guess(llvm::function_ref<void()> body);

private:
  using Key = std::pair<void *, unsigned>;
  LaneValue compute(mlir::Value block, Position position);
  LaneValue computeInBody(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  LaneValue zero(mlir::Type element);
  LaneValue cloneRegionOp(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  std::optional<LaneValue> remainderWithoutWrap(mlir::linalg::LinalgOp op, mlir::Operation *def,
                                                llvm::ArrayRef<LaneValue> operands, Position loops);
  void settle(mlir::linalg::LinalgOp op, mlir::Operation *def, llvm::MutableArrayRef<LaneValue> operands);
  LaneValue divide(LaneValue index, int64_t by, bool remainder);
  unsigned idOf(Position position);
  std::optional<LaneValue> find(Key key) const;
  void remember(Key key, LaneValue value, unsigned level);

  EmissionContext &context;
  LaneEmitter &lanes;
  BlockRanges ranges;
  bool optimistic = false;     ///< numbers do not wrap: tests may say so
  bool remaindersStay = false; ///< and remainders do not start anew
  bool hasRemainders = false;  ///< among the conditions
  bool guesses = false;        ///< nothing is read
  bool hasGuessed = false;     ///< and nothing had to be
  llvm::SmallVector<mlir::Value> conditions;
  std::vector<std::map<Key, LaneValue>> scopes;
  std::map<llvm::SmallVector<std::tuple<void *, int64_t, int64_t>>, unsigned> positions;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_ELEMENTEMITTER_H
