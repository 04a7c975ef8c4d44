//===- StripMineScalarLoops.cpp - Long loops over scalars, in strips ------===//
//
// A loop over scalars that asked in every turn whether to stop would be slower by a third, and LLVM could not rewrite
// it in closed form. So it runs in strips of so many turns that asking between two of them is no cost:
//
//   rest = high - low; do { scf.for (min(strip, rest)); rest -= ... } while (rest != 0)
//
// The question itself comes from convert-launch-abi, which asks in every loop without bounds.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_STRIPMINESCALARLOOPS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral scalarLoopAttribute = "blockdsl.scalar_loop";
static constexpr StringLiteral sourceLoopAttribute = "blockdsl.source_loop";

/// At a nanosecond or a hundred a turn, some milliseconds at most.
static constexpr int64_t kStripLog2 = 16, kStrip = int64_t(1) << kStripLog2;

/// How often the innermost code of a turn runs, if that is known and no more than a strip.
static std::optional<int64_t> turnsIn(scf::ForOp loop);

static std::optional<int64_t> turnsOf(scf::ForOp loop) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> high = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> inner = turnsIn(loop);
  int64_t distance;
  if (!low || !high || !step || !inner || *step <= 0 || loop.getUnsignedCmp() ||
      llvm::SubOverflow(*high, *low, distance))
    return std::nullopt;
  int64_t turns = distance <= 0 ? 0 : llvm::divideCeilSigned(distance, *step);
  return turns <= kStrip / *inner ? std::optional(turns * *inner) : std::nullopt;
}

static std::optional<int64_t> turnsIn(scf::ForOp loop) {
  int64_t sum = 1;
  WalkResult walked = loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::WhileOp>(op))
      return WalkResult::interrupt();
    auto inner = dyn_cast<scf::ForOp>(op);
    if (!inner)
      return WalkResult::advance();
    std::optional<int64_t> turns = turnsOf(inner);
    if (!turns || (sum += *turns) > kStrip)
      return WalkResult::interrupt();
    return WalkResult::skip();
  });
  return walked.wasInterrupted() ? std::nullopt : std::optional(sum);
}

/// What the induction variable runs over in a strip of 2^log2 turns; all there is where that does not fit.
static Value stripOf(ImplicitLocOpBuilder &b, Value step, int64_t log2) {
  Type type = step.getType();
  int64_t bits = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(b, b.getIntegerAttr(type, value)); };
  Value strip = arith::ShLIOp::create(b, step, constant(log2));
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, step, constant(llvm::maxIntN(bits) >> log2));
  return arith::SelectOp::create(b, isLong, constant(-1), strip);
}

static void strip(scf::ForOp loop, int64_t log2) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value low = loop.getLowerBound(), high = loop.getUpperBound(), step = loop.getStep();
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(low.getType(), 0));
  Value turns = arith::CmpIOp::create(b, less, low, high);
  // As a number without sign, it is right whatever the bounds are.
  Value distance = arith::SelectOp::create(b, turns, arith::SubIOp::create(b, high, low), zero);
  Value size = stripOf(b, step, log2);
  SmallVector<Value> inits{low, distance};
  llvm::append_range(inits, loop.getInitArgs());
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  auto outer = scf::WhileOp::create(
      b, types, inits,
      [&](OpBuilder &, Location, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(carried.front().getParentBlock());
        Value taken = arith::MinUIOp::create(b, size, carried[1]);
        Value end = arith::AddIOp::create(b, carried[0], taken);
        auto inner =
            scf::ForOp::create(b, carried[0], end, step, carried.drop_front(2), nullptr, loop.getUnsignedCmp());
        inner->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
        inner.getRegion().takeBody(loop.getRegion());
        Value rest = arith::SubIOp::create(b, carried[1], taken);
        Value goes = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, zero);
        SmallVector<Value> next{end, rest};
        llvm::append_range(next, inner.getResults());
        scf::ConditionOp::create(b, goes, next);
      },
      [](OpBuilder &b, Location loc, ValueRange carried) { scf::YieldOp::create(b, loc, carried); });
  loop.replaceAllUsesWith(outer.getResults().drop_front(2));
  loop.erase();
}

namespace {

struct StripMineScalarLoopsPass : impl::StripMineScalarLoopsBase<StripMineScalarLoopsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (loop->removeAttr(scalarLoopAttribute))
        loops.push_back(loop);
    });
    // From the outside, so that no loop is looked at after one within it has changed.
    for (scf::ForOp loop : loops) {
      std::optional<int64_t> inner = turnsIn(loop);
      if (!inner)
        // Beside another loop, asking in every turn is no cost.
        loop->setAttr(sourceLoopAttribute, UnitAttr::get(&getContext()));
      else if (!turnsOf(loop))
        strip(loop, kStripLog2 - llvm::Log2_64_Ceil(*inner));
    }
  }
};

} // namespace

} // namespace blockdsl
