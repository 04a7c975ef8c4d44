//===- LoopAwareCSE.cpp - CSE across iteration arguments --------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_LOOPAWARECSEPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

/// Decides whether two values are equal, given classes of equal iteration arguments.
class Equality {
public:
  /// Maps each iteration argument to the first one of its class.
  llvm::DenseMap<Value, Value> leaders;

  bool areEqual(Value x, Value y) {
    if (x == y)
      return true;
    if (x.getType() != y.getType() || ++steps > mostSteps)
      return false;
    if (auto found = leaders.find(x); found != leaders.end() && found->second == leaders.lookup(y))
      return true;
    auto first = dyn_cast<OpResult>(x), second = dyn_cast<OpResult>(y);
    if (!first || !second || first.getResultNumber() != second.getResultNumber())
      return false;
    Operation *a = first.getOwner(), *b = second.getOwner();
    return a->getName() == b->getName() && a->getNumRegions() == 0 && b->getNumRegions() == 0 &&
           a->getNumOperands() == b->getNumOperands() && a->getAttrDictionary() == b->getAttrDictionary() &&
           a->getResultTypes() == b->getResultTypes() && isMemoryEffectFree(a) &&
           llvm::all_of(llvm::zip_equal(a->getOperands(), b->getOperands()),
                        [&](auto pair) { return areEqual(std::get<0>(pair), std::get<1>(pair)); });
  }

  /// Resets the number of steps. It is bounded because shared operands are compared once for each use.
  void restart() { steps = 0; }

private:
  static constexpr unsigned mostSteps = 10000;
  unsigned steps = 0;
};

/// Replaces iteration arguments by equal ones: those with the same initial value and equal yielded values. Classes
/// start with all arguments of one initial value, and are split where yielded values differ.
bool uniteCarried(scf::ForOp loop) {
  Equality equality;
  unsigned count = loop.getNumRegionIterArgs();
  auto argument = [&](unsigned i) -> Value { return loop.getRegionIterArg(i); };
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j <= i && !equality.leaders.contains(argument(i)); ++j)
      if (loop.getInitArgs()[j] == loop.getInitArgs()[i])
        equality.leaders[argument(i)] = argument(j);
  // Splits classes by the equalities of the previous round, until nothing changes.
  while (true) {
    llvm::DenseMap<Value, Value> next;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned j = 0; j <= i && !next.contains(argument(i)); ++j) {
        equality.restart();
        if (j == i ||
            (next[argument(j)] == argument(j) && equality.leaders[argument(i)] == equality.leaders[argument(j)] &&
             equality.areEqual(loop.getYieldedValues()[i], loop.getYieldedValues()[j])))
          next[argument(i)] = argument(j);
      }
    if (next == equality.leaders)
      break;
    equality.leaders = std::move(next);
  }
  bool hasChanged = false;
  for (unsigned i = 0; i < count; ++i) {
    Value leader = equality.leaders[argument(i)];
    unsigned first = cast<BlockArgument>(leader).getArgNumber() - loop.getNumInductionVars();
    if (first == i || (argument(i).use_empty() && loop.getResult(i).use_empty()))
      continue;
    argument(i).replaceAllUsesWith(leader);
    loop.getResult(i).replaceAllUsesWith(loop.getResult(first));
    hasChanged = true;
  }
  return hasChanged;
}

struct LoopAwareCSE : impl::LoopAwareCSEPassBase<LoopAwareCSE> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    // Equalities in an outer loop may lead to more of them in an inner loop, and vice versa.
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      eliminateCommonSubExpressions(rewriter, dominance, getOperation(), &hasChanged);
      getOperation()->walk([&](scf::ForOp loop) { hasChanged |= uniteCarried(loop); });
    }
    // Removes iteration arguments without uses.
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
