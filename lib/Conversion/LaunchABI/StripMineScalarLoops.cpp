//===- StripMineScalarLoops.cpp - Strip mining of long loops over scalars -===//
//
// A poll for interruption in each iteration of a loop over scalars would cost a third of its time and keep LLVM from
// rewriting the loop in closed form. So it runs in strips that are long enough to make a poll between them cheap:
//
//   rest = high - low; do { scf.for (min(strip, rest)); rest -= ... } while (rest != 0)
//
// The polls are inserted by convert-launch-abi, in every loop without bounds.
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

/// Iterations of a strip. At up to a hundred nanoseconds per iteration a strip takes a few milliseconds.
static constexpr int64_t kStripLog2 = 16, kStrip = int64_t(1) << kStripLog2;

/// Returns the innermost iterations in one iteration of a loop, if they are known and at most a strip.
static std::optional<int64_t> iterationsPerIteration(scf::ForOp loop);

/// Returns the innermost iterations of a whole loop, if they are known and at most a strip.
static std::optional<int64_t> iterationsOf(scf::ForOp loop) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> high = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> inner = iterationsPerIteration(loop);
  int64_t distance;
  if (!low || !high || !step || !inner || *step <= 0 || loop.getUnsignedCmp() ||
      llvm::SubOverflow(*high, *low, distance))
    return std::nullopt;
  int64_t tripCount = distance <= 0 ? 0 : llvm::divideCeilSigned(distance, *step);
  return tripCount <= kStrip / *inner ? std::optional(tripCount * *inner) : std::nullopt;
}

static std::optional<int64_t> iterationsPerIteration(scf::ForOp loop) {
  int64_t sum = 1;
  WalkResult walked = loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::WhileOp>(op))
      return WalkResult::interrupt();
    auto inner = dyn_cast<scf::ForOp>(op);
    if (!inner)
      return WalkResult::advance();
    std::optional<int64_t> iterations = iterationsOf(inner);
    if (!iterations || (sum += *iterations) > kStrip)
      return WalkResult::interrupt();
    return WalkResult::skip();
  });
  return walked.wasInterrupted() ? std::nullopt : std::optional(sum);
}

/// Returns the distance of the induction variable in a strip of 2^log2 iterations, or the largest number if that
/// overflows.
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
  Value isNotEmpty = arith::CmpIOp::create(b, less, low, high);
  // An unsigned number: correct for all bounds.
  Value distance = arith::SelectOp::create(b, isNotEmpty, arith::SubIOp::create(b, high, low), zero);
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
        Value continues = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, zero);
        SmallVector<Value> next{end, rest};
        llvm::append_range(next, inner.getResults());
        scf::ConditionOp::create(b, continues, next);
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
    // Outer loops first: their iterations are counted before inner loops are changed.
    for (scf::ForOp loop : loops) {
      std::optional<int64_t> inner = iterationsPerIteration(loop);
      if (!inner)
        // A poll in each iteration is cheap compared with a long inner loop.
        loop->setAttr(sourceLoopAttribute, UnitAttr::get(&getContext()));
      else if (!iterationsOf(loop))
        strip(loop, kStripLog2 - llvm::Log2_64_Ceil(*inner));
    }
  }
};

} // namespace

} // namespace blockdsl
