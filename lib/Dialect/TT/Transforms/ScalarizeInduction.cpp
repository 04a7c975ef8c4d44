//===- ScalarizeInduction.cpp - Scalar offsets in place of carried blocks -===//

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace blockdsl {
#define GEN_PASS_DEF_SCALARIZEINDUCTIONPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

/// The steps that a loop adds to one carried block in each iteration.
struct Induction {
  unsigned index;                  ///< index of the iteration argument
  SmallVector<Value> uniform;      ///< scalars, added to all elements
  SmallVector<TypedAttr> constant; ///< constants, added to all elements
  SmallVector<Value> invariant;    ///< blocks defined before the loop

  bool sums() const { return !uniform.empty() || !constant.empty(); }
  bool countsIterations() const { return !invariant.empty(); }
};

/// Returns the scalar that `block` is a splat of, as a value or as a constant, or null.
std::pair<Value, TypedAttr> splatOf(Value block) {
  if (auto splat = block.getDefiningOp<SplatOp>())
    return {splat.getSrc(), {}};
  DenseElementsAttr elements;
  if (matchPattern(block, m_Constant(&elements)) && elements.isSplat())
    return {{}, elements.getSplatValue<TypedAttr>()};
  return {};
}

bool matchStep(scf::ForOp loop, Value step, Induction &induction) {
  auto [scalar, constant] = splatOf(step);
  if (constant)
    induction.constant.push_back(constant);
  else if (scalar)
    induction.uniform.push_back(scalar);
  else if (loop.isDefinedOutsideOfLoop(step))
    induction.invariant.push_back(step);
  else
    return false;
  return true;
}

std::optional<Induction> match(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  if (!type || !isa<PtrType, IntegerType>(type.getElementType()))
    return std::nullopt;
  Induction induction{index, {}, {}, {}};
  Value value = loop.getYieldedValues()[index];
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (!op || loop.isDefinedOutsideOfLoop(value) || op->getParentOp() != loop)
      return std::nullopt;
    if (auto addptr = dyn_cast<AddPtrOp>(op)) {
      if (!matchStep(loop, addptr.getOffset(), induction))
        return std::nullopt;
      value = addptr.getPtr();
    } else if (auto add = dyn_cast<arith::AddIOp>(op)) {
      if (matchStep(loop, add.getRhs(), induction))
        value = add.getLhs();
      else if (matchStep(loop, add.getLhs(), induction))
        value = add.getRhs();
      else
        return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (induction.uniform.empty() && induction.constant.empty() && induction.invariant.empty())
    return std::nullopt; // unchanged: canonicalization removes it
  return induction;
}

class Rewriter {
public:
  Rewriter(IRRewriter &rewriter, scf::ForOp loop) : rewriter(rewriter), loop(loop) {}
  /// Returns the loop that replaces the old one.
  scf::ForOp run(const Induction &induction);

private:
  Value createBlock(OpBuilder &b, const Induction &induction, ValueRange carried, Value init);
  Value toWidth(OpBuilder &b, Value value, Type type);
  IRRewriter &rewriter;
  scf::ForOp loop;
};

/// Sign-extends an offset. Offsets of pointers are signed and added in 64 bits, as pointers are.
Value Rewriter::toWidth(OpBuilder &b, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  return arith::ExtSIOp::create(b, loop.getLoc(), getSameShape(value.getType(), element), value);
}

/// Returns `init` plus all steps so far. `carried` has the sum and the number of iterations, each only if it is needed.
Value Rewriter::createBlock(OpBuilder &b, const Induction &induction, ValueRange carried, Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Location loc = loop.getLoc();
  bool isPointer = isa<PtrType>(type.getElementType());
  auto offsetType = RankedTensorType::get(type.getShape(), carried[0].getType());
  auto add = [&](Value block, Value offset) -> Value {
    if (isPointer)
      return AddPtrOp::create(b, loc, type, block, offset);
    return arith::AddIOp::create(b, loc, block, offset);
  };
  Value block = init;
  if (induction.sums())
    block = add(block, SplatOp::create(b, loc, offsetType, carried.front()));
  for (Value step : induction.invariant) {
    Value wide = toWidth(b, step, offsetType.getElementType());
    Value count = SplatOp::create(b, loc, offsetType, carried.back());
    block = add(block, arith::MulIOp::create(b, loc, wide, count));
  }
  return block;
}

scf::ForOp Rewriter::run(const Induction &induction) {
  Location loc = loop.getLoc();
  unsigned index = induction.index;
  Type element = cast<RankedTensorType>(loop.getRegionIterArg(index).getType()).getElementType();
  Type offsetType = isa<PtrType>(element) ? Type(rewriter.getI64Type()) : element;
  rewriter.setInsertionPoint(loop);
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(offsetType, 0));
  Value init = loop.getInitArgs()[index];
  unsigned first = loop.getNumRegionIterArgs();
  auto steps = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> added) {
    SmallVector<Value> next;
    if (induction.sums()) {
      Value sum = added.front();
      for (Value step : induction.uniform)
        sum = arith::AddIOp::create(b, loc, sum, toWidth(b, step, offsetType));
      for (TypedAttr step : induction.constant) {
        APInt value = cast<IntegerAttr>(step).getValue().sext(offsetType.getIntOrFloatBitWidth());
        Value constant = arith::ConstantOp::create(b, loc, rewriter.getIntegerAttr(offsetType, value));
        sum = arith::AddIOp::create(b, loc, sum, constant);
      }
      next.push_back(sum);
    }
    if (induction.countsIterations()) {
      Value one = arith::ConstantOp::create(b, loc, rewriter.getIntegerAttr(offsetType, 1));
      next.push_back(arith::AddIOp::create(b, loc, added.back(), one));
    }
    return next;
  };
  SmallVector<Value> zeros(induction.sums() + induction.countsIterations(), zero);
  loop = cast<scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, zeros, /*replaceInitOperandUsesInLoop=*/false, steps));
  BlockArgument carried = loop.getRegionIterArg(index);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value inside = createBlock(rewriter, induction, loop.getRegionIterArgs().drop_front(first), init);
  rewriter.replaceAllUsesWith(carried, inside);
  // The old argument is yielded unchanged, so that canonicalization removes it.
  rewriter.modifyOpInPlace(loop, [&] { loop.getBody()->getTerminator()->setOperand(index, carried); });
  rewriter.setInsertionPointAfter(loop);
  Value after = createBlock(rewriter, induction, loop.getResults().drop_front(first), init);
  rewriter.replaceAllUsesWith(loop.getResult(index), after);
  return loop;
}

struct ScalarizeInductionPass : impl::ScalarizeInductionPassBase<ScalarizeInductionPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      unsigned count = loop.getNumRegionIterArgs();
      for (unsigned index = 0; index < count; ++index)
        if (std::optional<Induction> induction = match(loop, index))
          loop = Rewriter(rewriter, loop).run(*induction);
    }
  }
};

} // namespace
} // namespace blockdsl
