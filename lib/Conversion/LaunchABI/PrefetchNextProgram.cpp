//===- PrefetchNextProgram.cpp - Prefetch of the next program's loads -------===//
//
// A program that reads a row several times waits for memory during the first read and leaves it idle during the others.
// So the second read prefetches the row of the next program. Its addresses are those of the loads, recomputed from the
// ids that the loop over programs carries. Reads in loops of the kernel's source are not prefetched: they cover more
// than a block, and together with the next program's rows would exceed the L1 cache before the last read.
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

/// Recomputes values for the next program.
class NextProgram {
public:
  explicit NextProgram(scf::ForOp programs) : programs(programs) {}

  /// Returns `value` in the next program: the same value if it does not depend on the program, or null if it cannot be
  /// computed without running it.
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

  /// Replaces the ids by the values that the loop over programs yields. Induction variables of inner loops are kept.
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

/// A vector load in a loop, which reads a range of memory.
struct Reading {
  LLVM::LoadOp load;
  scf::ForOp loop;
  SmallVector<Value> origin; ///< values from outside of the loop over programs that the address is computed from
  Value start;               ///< lower bound of the loop, which distinguishes a loop from its remainder loop

  /// Returns true if one program may run both loops, and they read the same memory, though in different steps.
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

  /// Returns the values that `address` is computed from and that are defined outside of the program's loops.
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
