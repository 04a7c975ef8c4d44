//===- CountLongLoops.cpp - Loops whose trip count exceeds signed numbers -===//
//
// MLIR's canonicalizer computes the trip count of a loop with constant bounds from their signed difference: a loop from
// the least i32 to the largest seems empty, and is erased. This pass rewrites such loops to count from zero, unsigned.
//
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_COUNTLONGLOOPSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns the constant that the value folds to, if any.
static std::optional<APInt> constantOf(DataFlowSolver &solver, Value value) {
  auto *state = solver.lookupState<dataflow::Lattice<dataflow::ConstantValue>>(value);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  auto number = dyn_cast_if_present<IntegerAttr>(state->getValue().getConstantValue());
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// Returns true if both bounds are constants whose distance exceeds the largest signed number.
static bool isLong(DataFlowSolver &solver, scf::ForOp loop) {
  std::optional<APInt> low = constantOf(solver, loop.getLowerBound()), high = constantOf(solver, loop.getUpperBound());
  return low && high && low->slt(*high) && (*high - *low).isNegative();
}

/// Counts the iterations from zero: the old induction variable becomes `first + iteration * step`.
static void count(scf::ForOp loop, const APInt &low, const APInt &high) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Type type = loop.getInductionVar().getType();
  auto constant = [&](const APInt &value) { return arith::ConstantOp::create(b, b.getIntegerAttr(type, value)); };
  APInt one(low.getBitWidth(), 1);
  Value first = loop.getLowerBound(), step = loop.getStep();
  // A loop with a step of zero or less has no iterations.
  Value zero = constant(one - 1);
  Value isPositive = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, step, zero);
  Value steps = arith::DivUIOp::create(b, constant(high - low - 1), arith::MaxSIOp::create(b, step, constant(one)));
  Value tripCount = arith::AddIOp::create(b, steps, constant(one));
  loop.setLowerBound(zero);
  loop.setUpperBound(arith::SelectOp::create(b, isPositive, tripCount, zero));
  loop.setStep(constant(one));
  loop.setUnsignedCmp(true);

  b.setInsertionPointToStart(loop.getBody());
  Value iteration = loop.getInductionVar();
  auto distance = arith::MulIOp::create(b, iteration, step);
  iteration.replaceAllUsesExcept(arith::AddIOp::create(b, first, distance), distance);
}

namespace {
struct CountLongLoops : blockdsl::impl::CountLongLoopsPassBase<CountLongLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> candidates;
    getOperation()->walk([&](scf::ForOp loop) {
      APInt low;
      if (!loop.getUnsignedCmp() && !(matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) && !low.isNegative()))
        candidates.push_back(loop);
    });
    if (candidates.empty())
      return;
    DataFlowSolver solver;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    for (scf::ForOp loop : candidates)
      if (isLong(solver, loop))
        count(loop, *constantOf(solver, loop.getLowerBound()), *constantOf(solver, loop.getUpperBound()));
  }
};
} // namespace
