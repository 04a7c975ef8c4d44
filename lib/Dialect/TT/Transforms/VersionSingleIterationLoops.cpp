//===- VersionSingleIterationLoops.cpp - Versions of loops with a single iteration -===//
//
// Executes the body once, without a loop, if a runtime test finds a single iteration. Blocks that are only reduced
// afterwards then stay in registers.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace blockdsl {
#define GEN_PASS_DEF_VERSIONSINGLEITERATIONLOOPSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

/// A loop, and the reductions that are the only users of its blocks. No reduction depends on another one.
struct ReducedLoop {
  scf::ForOp loop;
  llvm::SetVector<Operation *> reductions;

  void version();

private:
  Value hasOneIteration(OpBuilder &b);
  SmallVector<Value> getResults();
};

/// Returns true if the body has no dot and no nested control flow. Their cost outweighs that of blocks in memory.
bool isPlain(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](Operation *op) {
                return isa<DotOp, RegionBranchOpInterface>(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

std::optional<ReducedLoop> match(scf::ForOp loop) {
  ReducedLoop found{loop, {}};
  if (loop.getStaticTripCount() || !isPlain(loop))
    return std::nullopt;
  for (Value result : loop.getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    for (Operation *user : result.getUsers()) {
      auto isAvailable = [&](Value operand) {
        Operation *def = operand.getDefiningOp();
        return !def || def == loop || def->getBlock() != loop->getBlock() || def->isBeforeInBlock(loop);
      };
      if (!isa<ReduceOp>(user) || user->getBlock() != loop->getBlock() ||
          !llvm::all_of(user->getOperands(), isAvailable))
        return std::nullopt;
      found.reductions.insert(user);
    }
  }
  if (found.reductions.empty())
    return std::nullopt;
  return found;
}

Value ReducedLoop::hasOneIteration(OpBuilder &b) {
  Location loc = loop.getLoc();
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value isEntered = arith::CmpIOp::create(b, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
  // The distance between ordered bounds is correct as an unsigned number, even if it overflows as a signed one.
  Value distance = arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  Value endsAfterFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, distance, loop.getStep());
  return arith::AndIOp::create(b, loc, isEntered, endsAfterFirst);
}

/// Returns the results of the loop and of its reductions, except for the blocks that are reduced.
SmallVector<Value> ReducedLoop::getResults() {
  SmallVector<Value> results;
  for (Value result : loop.getResults())
    if (!isa<RankedTensorType>(result.getType()))
      results.push_back(result);
  for (Operation *reduction : reductions)
    llvm::append_range(results, reduction->getResults());
  return results;
}

void ReducedLoop::version() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> results = getResults();
  auto branch = scf::IfOp::create(b, loc, ValueRange(results).getTypes(), hasOneIteration(b), /*withElseRegion=*/true);

  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping iteration;
  iteration.map(loop.getInductionVar(), loop.getLowerBound());
  iteration.map(loop.getRegionIterArgs(), loop.getInits());
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, iteration);
  for (auto [result, yielded] : llvm::zip(loop.getResults(), loop.getYieldedValues()))
    iteration.map(result, iteration.lookupOrDefault(yielded));
  for (Operation *reduction : reductions)
    b.clone(*reduction, iteration);
  scf::YieldOp::create(b, loc, llvm::map_to_vector(results, [&](Value value) { return iteration.lookup(value); }));

  for (auto [result, versioned] : llvm::zip(results, branch.getResults()))
    result.replaceAllUsesExcept(versioned, loop);
  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  for (Operation *reduction : reductions)
    reduction->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, results);
}

struct VersionSingleIterationLoops : impl::VersionSingleIterationLoopsPassBase<VersionSingleIterationLoops> {
  void runOnOperation() override {
    SmallVector<ReducedLoop> found;
    getOperation()->walk([&](scf::ForOp loop) {
      if (std::optional<ReducedLoop> reduced = match(loop))
        found.push_back(std::move(*reduced));
    });
    for (ReducedLoop &reduced : found)
      reduced.version();
  }
};

} // namespace
} // namespace blockdsl
