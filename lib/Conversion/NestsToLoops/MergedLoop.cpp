//===- MergedLoop.cpp - Loops whose matmul takes several iterations at once -===//
//
// The loop runs over groups of iterations. Its scalars are computed again wherever the operands of an iteration are
// packed, in a loop over the iterations of a group.
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "LoopBounds.h"
#include "LoopHints.h"

#include "blockdsl/Plan/MatmulPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

LogicalResult RegionEmitter::emitMergedFor(scf::ForOp loop, const RegionPlan &plan, const MatmulPlan &matmul) {
  OpBuilder &b = context.builder;
  Location loc = loop.getLoc();
  Value low = context.getScalar(loop.getLowerBound()), step = context.getScalar(loop.getStep());
  ImplicitLocOpBuilder before(loc, b);
  bool isUnsigned = loop.getUnsignedCmp();
  Value high = limitByStep(before, low, context.getScalar(loop.getUpperBound()), step, isUnsigned);
  Value count =
      arith::IndexCastUIOp::create(before, b.getIndexType(), countIterations(before, low, high, step, isUnsigned));
  Value zero = arith::ConstantIndexOp::create(before, 0), one = arith::ConstantIndexOp::create(before, 1);
  Value group = arith::ConstantIndexOp::create(before, matmul.iterations);
  // The variable is carried as the other scalars are.
  Values start = scalarsOf(loop.getInitArgs());
  start.push_back(low);
  auto groups = scf::ForOp::create(b, loc, zero, count, group, start);
  groups->setAttr("blockdsl.source_loop", b.getUnitAttr());
  ValueRange carried = loop.getRegionIterArgs();
  LogicalResult written = success();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(groups.getBody());
    bind(carried, groups.getRegionIterArgs(), carried);
    setAccumulations(loop, groups, plan);
    MergedIterations merged;
    merged.group = arith::DivUIOp::create(b, loc, groups.getInductionVar(), group);
    Value left = arith::SubIOp::create(b, loc, count, groups.getInductionVar());
    merged.count = arith::MinUIOp::create(b, loc, left, group);
    merged.emit = [&](function_ref<void(Value)> body) {
      auto iterations = scf::ForOp::create(b, loc, zero, merged.count, one, ValueRange(groups.getRegionIterArgs()));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(iterations.getBody());
      ValueRange scalars = iterations.getRegionIterArgs();
      bind(carried, scalars, carried);
      context.setScalar(loop.getInductionVar(), scalars.back());
      for (const ScheduledOp &each : plan.bodies.front().steps)
        if (each.scalar || each.unit->kind == FusionGroup::Kind::Scalar)
          if (failed(emitScalar(each.scalar ? each.scalar : each.unit->op)))
            written = failure();
      body(iterations.getInductionVar());
      b.setInsertionPointToEnd(iterations.getBody());
      Values yielded = scalarsOf(loop.getYieldedValues());
      yielded.push_back(arith::AddIOp::create(b, loc, scalars.back(), step));
      scf::YieldOp::create(b, loc, yielded);
      return iterations;
    };
    scf::ForOp scalars = merged.emit([](Value) {});
    keepSmall(scalars);
    Values next(scalars.getResults());
    emitMatmul(context, plan.accumulated.front().matmul, matmul, &merged);
    b.setInsertionPointToEnd(groups.getBody());
    scf::YieldOp::create(b, loc, next);
  }
  bind(loop.getResults(), groups.getResults(), carried);
  if (plan.mayBeEmpty)
    emitWithoutIterations(groups, plan);
  return written;
}

} // namespace blockdsl
