//===- Evaluator.h - The value of a block at one place of a loop nest ------===//
//
// Writes the code that computes an element (or a vector of elements) of a block, through all the linalg ops it is
// made of. A value is computed once a place: results are remembered for as long as the loop they sit in is open.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_EVALUATOR_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_EVALUATOR_H

#include "Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace blockdsl {

using Position = llvm::ArrayRef<LaneValue>;

class Evaluator {
public:
  Evaluator(Kernel &kernel, LaneEmitter &lanes) : kernel(kernel), lanes(lanes) { scopes.emplace_back(); }

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
  LaneValue readBuffer(const Buffer &buffer, Position position);
  void writeBuffer(const Buffer &buffer, Position position, LaneValue value, std::optional<LaneValue> mask);

  LaneEmitter &getLanes() { return lanes; }

  /// Writes `body` once, or twice under a test made before it: once for when no remainder wraps within the lanes,
  /// so that addresses stay contiguous, and once (with false) for when one does.
  void emitVersioned(llvm::function_ref<void(bool)> body);

  /// Runs `body`, which computes addresses that need not be right, as prefetches do: nothing is remembered from before
  /// or for later, and no remainder wraps.
  void guess(llvm::function_ref<void()> body);

private:
  using Key = std::pair<void *, unsigned>;
  LaneValue compute(mlir::Value block, Position position);
  LaneValue computeInBody(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  LaneValue cloneRegionOp(mlir::linalg::LinalgOp op, mlir::Operation *def, mlir::Value scalar, Position loops);
  std::optional<LaneValue> remainderWithoutWrap(mlir::linalg::LinalgOp op, mlir::Operation *def,
                                                llvm::ArrayRef<LaneValue> operands, Position loops);
  LaneValue divide(LaneValue index, int64_t by, bool remainder);
  unsigned idOf(Position position);
  std::optional<LaneValue> find(Key key) const;
  void remember(Key key, LaneValue value, unsigned level);

  Kernel &kernel;
  LaneEmitter &lanes;
  bool optimistic = false;
  llvm::SmallVector<mlir::Value> conditions;
  std::vector<std::map<Key, LaneValue>> scopes;
  std::map<llvm::SmallVector<std::pair<void *, int64_t>>, unsigned> positions;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_EVALUATOR_H
