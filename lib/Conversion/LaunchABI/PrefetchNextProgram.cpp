//===- PrefetchNextProgram.cpp - Prefetch of the next program's loads -------===//
//
// A program that reads a row several times waits for memory at the first reading and leaves it idle during the others.
// So the second reading asks for the row of the next program. The addresses are those of the loads, computed again from
// the ids that the loop over programs carries on. What the kernel itself reads in a loop, step by step, is longer than
// a block: with the next program's beside it, it would not be in the first cache until the last reading.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_PREFETCHNEXTPROGRAM
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral programsAttribute = "blockdsl.programs";
static constexpr StringLiteral sourceLoopAttribute = "blockdsl.source_loop";
static constexpr int64_t cacheLine = 64;

namespace {

/// Computes values as the next program will.
class NextProgram {
public:
  explicit NextProgram(scf::ForOp programs) : programs(programs) {}

  /// `value` in the next program, or null when only running it would tell. The very same value when it does not depend
  /// on which program runs.
  Value get(Value value) {
    if (Value known = next.lookup(value))
      return known;
    Value found = compute(value);
    next[value] = found;
    return found;
  }

private:
  Value compute(Value value) {
    Operation *op = value.getDefiningOp();
    Operation *parent = op ? op->getParentOp() : value.getParentBlock()->getParentOp();
    if (!programs->isAncestor(parent))
      return value;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument, parent);
    if (op->getNumRegions() != 0 || !isPure(op))
      return {};
    IRMapping mapping;
    bool changes = false;
    for (Value operand : op->getOperands()) {
      Value later = get(operand);
      if (!later)
        return {};
      mapping.map(operand, later);
      changes |= later != operand;
    }
    if (!changes)
      return value;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    return builder.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// The ids become what the loop over programs yields; the loops inside run as they do now.
  Value ofArgument(BlockArgument argument, Operation *parent) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    bool counts = loop && argument == loop.getInductionVar();
    if (loop == programs)
      return counts ? Value() : loop.getTiedLoopYieldedValue(argument)->get();
    return counts ? Value(argument) : Value();
  }

  scf::ForOp programs;
  DenseMap<Value, Value> next;
};

/// A vector load in a loop: the loop reads a stretch of memory.
struct Reading {
  LLVM::LoadOp load;
  scf::ForOp loop;
  SmallVector<Value> origin; ///< where the stretch begins: what the address is made of before the program's loops, ...
  Value start;               ///< ... and where the loop does; the rest of a loop begins where the loop ends

  /// Whether a program comes to both, and they read the same, if in steps of another length.
  bool repeats(Reading &other) {
    return getElementTypeOrSelf(load) == getElementTypeOrSelf(other.load) && start == other.start &&
           origin == other.origin && !insideMutuallyExclusiveRegions(load, other.load);
  }
};

class Prefetcher {
public:
  explicit Prefetcher(scf::ForOp programs) : programs(programs), next(programs) {}

  void run() {
    SmallVector<Reading> first, second;
    programs.getBody()->walk([&](LLVM::LoadOp load) {
      auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
      if (!loop || loop == programs || !isa<VectorType>(load.getType()) || load.getVolatile_() || isInSourceLoop(loop))
        return;
      Reading reading{load, loop, originOf(load.getAddr()), loop.getLowerBound()};
      auto repeated = [&](Reading &other) { return reading.repeats(other); };
      auto *known = llvm::find_if(first, repeated);
      if (known == first.end())
        first.push_back(reading);
      else if (known->loop != loop && llvm::none_of(second, repeated))
        second.push_back(reading);
    });
    for (Reading &reading : second)
      prefetch(reading.load);
  }

private:
  bool isInSourceLoop(Operation *op) {
    while (op != programs && !isa<scf::WhileOp>(op) && !op->hasAttr(sourceLoopAttribute))
      op = op->getParentOp();
    return op != programs;
  }

  /// The values from before the loops of the program that `address` is computed from, in the order they are met.
  SmallVector<Value> originOf(Value address) {
    SetVector<Value> seen;
    SmallVector<Value> origin;
    seen.insert(address);
    for (unsigned index = 0; index != seen.size(); ++index) {
      Value value = seen[index];
      if (!programs->isProperAncestor(value.getParentBlock()->getParentOp()))
        origin.push_back(value);
      else if (Operation *op = value.getDefiningOp())
        seen.insert_range(op->getOperands());
    }
    return origin;
  }

  void prefetch(LLVM::LoadOp load) {
    Value address = next.get(load.getAddr());
    if (!address || address == load.getAddr())
      return;
    OpBuilder b(load);
    auto type = cast<VectorType>(load.getType());
    int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t offset = 0; offset < bytes; offset += cacheLine) {
      Value line = LLVM::GEPOp::create(b, load.getLoc(), address.getType(), b.getI8Type(), address,
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      LLVM::Prefetch::create(b, load.getLoc(), line, /*rw=*/0, /*hint=*/3, /*cache=*/1);
    }
  }

  scf::ForOp programs;
  NextProgram next;
};

struct PrefetchNextProgramPass : impl::PrefetchNextProgramBase<PrefetchNextProgramPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->removeAttr(programsAttribute))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      Prefetcher(loop).run();
    getOperation().walk([](scf::ForOp loop) { loop->removeAttr(sourceLoopAttribute); });
  }
};

} // namespace
} // namespace blockdsl
