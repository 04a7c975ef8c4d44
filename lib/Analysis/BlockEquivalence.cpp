//===- BlockEquivalence.cpp - Copies of one computation in several nests ---===//

#include "blockdsl/Analysis/BlockEquivalence.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace blockdsl {

bool BlockEquivalence::areEquivalent(Value lhs, Value rhs) {
  lhs = getDefinition(lhs);
  rhs = getDefinition(rhs);
  if (lhs == rhs)
    return true;
  std::pair key(lhs, rhs);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  bool equivalent = areCopies(lhs, rhs);
  return known[key] = equivalent;
}

bool BlockEquivalence::areCopies(Value lhs, Value rhs) {
  auto left = dyn_cast<OpResult>(lhs), right = dyn_cast<OpResult>(rhs);
  if (!left || !right || left.getResultNumber() != right.getResultNumber() || !isFusible(left.getOwner()))
    return false;
  bool reads = left.getOwner()
                   ->walk([&](Operation *inner) {
                     bool isPure = inner == left.getOwner() || isMemoryEffectFree(inner);
                     return isPure ? WalkResult::advance() : WalkResult::interrupt();
                   })
                   .wasInterrupted();
  if (reads)
    return false;
  // Corresponding values of the two bodies.
  llvm::DenseMap<Value, Value> inside;
  auto compare = [&](Value a, Value b) -> LogicalResult {
    auto found = inside.find(a);
    return success(found != inside.end() ? found->second == b : areEquivalent(a, b));
  };
  return OperationEquivalence::isEquivalentTo(
      left.getOwner(), right.getOwner(), compare, [&](Value a, Value b) { inside[a] = b; },
      OperationEquivalence::IgnoreLocations);
}

} // namespace blockdsl
