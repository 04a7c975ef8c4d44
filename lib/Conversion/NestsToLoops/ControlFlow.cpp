//===- ControlFlow.cpp - Loops and branches around blocks ------------------===//

#include "LoopBounds.h"
#include "LoopNestEmitter.h"
#include "RegionEmitter.h"
#include "blockdsl/Plan/MatmulPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

LogicalResult RegionEmitter::emitStructured(const FusionGroup &unit) {
  if (auto loop = dyn_cast<scf::ForOp>(unit.op))
    return emitFor(loop, *unit.region);
  if (auto branch = dyn_cast<scf::IfOp>(unit.op))
    return emitIf(branch, *unit.region);
  if (auto loop = dyn_cast<scf::WhileOp>(unit.op))
    return emitWhile(loop, *unit.region);
  return unit.op->emitOpError("has no form on the CPU yet");
}

/// Returns the register types of the scalars among `types`.
static SmallVector<Type> scalarTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      result.push_back(LaneEmitter::registerType(type));
  return result;
}

/// Binds the scalars among `sources` to `emitted`, and the blocks to the buffers of `carried`.
void RegionEmitter::bind(ValueRange sources, ValueRange emitted, ValueRange carried) {
  unsigned next = 0;
  for (auto [source, buffer] : llvm::zip(sources, carried)) {
    if (isa<RankedTensorType>(source.getType()))
      context.setBuffer(source, *context.getBuffer(buffer));
    else
      context.setScalar(source, emitted[next++]);
  }
}

/// Returns true if the body of a loop computes blocks.
static bool hasBlocks(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Emits the conditions of the first and the last iteration for the matmuls that the loop accumulates in place.
void RegionEmitter::setAccumulations(scf::ForOp loop, scf::ForOp emitted, const RegionPlan &plan) {
  OpBuilder &b = context.builder;
  Location loc = emitted.getLoc();
  Value iteration = emitted.getInductionVar();
  for (const AccumulatedMatmul &each : plan.accumulated) {
    Accumulation accumulation;
    if (each.startsWithZero)
      accumulation.isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, iteration, emitted.getLowerBound());
    if (each.epilogue) {
      // `iteration + step` could wrap; the distance to the upper bound is correct as an unsigned number.
      Value left = arith::SubIOp::create(b, loc, emitted.getUpperBound(), iteration);
      accumulation.isComplete = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, left, emitted.getStep());
    }
    context.setAccumulation(each.matmul, accumulation);
    if (each.epilogue) // reads complete tiles as the result
      context.setBuffer(loop.getResult(each.index), *context.getBuffer(loop.getRegionIterArg(each.index)));
  }
  for (auto [value, target] : plan.inPlace)
    context.setBuffer(value, *context.getBuffer(target));
}

/// Emits the work of the first and the last iteration for a trip count of zero.
void RegionEmitter::emitWithoutIterations(scf::ForOp emitted, const RegionPlan &plan) {
  OpBuilder &b = context.builder;
  auto predicate = emitted.getUnsignedCmp() ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  Value none = arith::CmpIOp::create(b, emitted.getLoc(), predicate, emitted.getLowerBound(), emitted.getUpperBound());
  auto branch = scf::IfOp::create(b, emitted.getLoc(), none, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitCopies(plan.whenEmpty);
  for (const AccumulatedMatmul &each : plan.accumulated)
    if (each.epilogue)
      return LoopNestEmitter(context, *each.epilogue).emit();
}

LogicalResult RegionEmitter::emitFor(scf::ForOp loop, const RegionPlan &plan) {
  OpBuilder &b = context.builder;
  ValueRange carried = loop.getRegionIterArgs();
  for (const AccumulatedMatmul &each : plan.accumulated)
    if (each.startsWithZero)
      context.getOrAllocate(carried[each.index]);
  for (const auto &unit : plan.bodies.front().units)
    if (unit->matmul && unit->matmul->iterations != 1)
      return emitMergedFor(loop, plan, *unit->matmul);
  auto emitted = scf::ForOp::create(b, loop.getLoc(), context.getScalar(loop.getLowerBound()),
                                    context.getScalar(loop.getUpperBound()), context.getScalar(loop.getStep()),
                                    scalarsOf(loop.getInitArgs()), nullptr, loop.getUnsignedCmp());
  context.setScalar(loop.getInductionVar(), boundIterations(emitted));
  // LowerPolls polls for interruption in each iteration of loops with blocks; for scalar loops that is too expensive.
  emitted->setAttr(hasBlocks(loop) ? "blockdsl.source_loop" : "blockdsl.scalar_loop", b.getUnitAttr());
  bind(carried, emitted.getRegionIterArgs(), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = emitted.getBody();
    if (body->mightHaveTerminator())
      b.setInsertionPoint(body->getTerminator());
    else
      b.setInsertionPointToEnd(body);
    ValueRange yielded = loop.getYieldedValues();
    setAccumulations(loop, emitted, plan);
    for (Value spare : plan.spares)
      context.getOrAllocate(spare);
    if (failed(emit(plan.bodies.front())))
      return failure();
    if (emitted.getNumResults() != 0)
      scf::YieldOp::create(b, loop.getLoc(), scalarsOf(yielded));
  }
  bind(loop.getResults(), emitted.getResults(), carried);
  if (plan.mayBeEmpty)
    emitWithoutIterations(emitted, plan);
  return success();
}

LogicalResult RegionEmitter::emitIf(scf::IfOp branch, const RegionPlan &plan) {
  OpBuilder &b = context.builder;
  SmallVector<Type> types = scalarTypes(branch.getResultTypes());
  bool hasElse = !branch.getElseRegion().empty();
  auto emitted = scf::IfOp::create(b, branch.getLoc(), types, context.getScalar(branch.getCondition()), hasElse);
  for (Value result : branch.getResults())
    if (isa<RankedTensorType>(result.getType()))
      context.getOrAllocate(result);
  for (bool isThen : {true, false}) {
    if (!isThen && !hasElse)
      continue;
    OpBuilder::InsertionGuard guard(b);
    Block *source = isThen ? branch.thenBlock() : branch.elseBlock();
    Block *target = isThen ? emitted.thenBlock() : emitted.elseBlock();
    if (target->empty())
      b.setInsertionPointToEnd(target);
    else
      b.setInsertionPoint(target->getTerminator());
    if (failed(emit(plan.bodies[isThen ? 0 : 1])))
      return failure();
    if (!types.empty())
      scf::YieldOp::create(b, branch.getLoc(), scalarsOf(source->getTerminator()->getOperands()));
  }
  bind(branch.getResults(), emitted.getResults(), branch.getResults());
  return success();
}

LogicalResult RegionEmitter::emitWhile(scf::WhileOp loop, const RegionPlan &plan) {
  OpBuilder &b = context.builder;
  ValueRange before = loop.getBeforeArguments(), after = loop.getAfterArguments();
  for (Value argument : after)
    if (isa<RankedTensorType>(argument.getType()))
      context.getOrAllocate(argument);
  SmallVector<Type> types = scalarTypes(loop.getResultTypes());
  auto emitted = scf::WhileOp::create(b, loop.getLoc(), types, scalarsOf(loop.getInits()), nullptr, nullptr);
  auto addArguments = [&](Block *block, TypeRange argumentTypes) {
    while (block->getNumArguments() != 0)
      block->eraseArgument(0);
    block->addArguments(argumentTypes, SmallVector<Location>(argumentTypes.size(), loop.getLoc()));
  };
  Block *beforeBlock = emitted.getBeforeBody(), *afterBlock = emitted.getAfterBody();
  addArguments(beforeBlock, scalarTypes(before.getTypes()));
  addArguments(afterBlock, types);
  {
    OpBuilder::InsertionGuard guard(b);
    bind(before, beforeBlock->getArguments(), before);
    b.setInsertionPointToEnd(beforeBlock);
    scf::ConditionOp condition = loop.getConditionOp();
    if (failed(emit(plan.bodies[0])))
      return failure();
    scf::ConditionOp::create(b, loop.getLoc(), context.getScalar(condition.getCondition()),
                             scalarsOf(condition.getArgs()));
    bind(after, afterBlock->getArguments(), after);
    b.setInsertionPointToEnd(afterBlock);
    if (failed(emit(plan.bodies[1])))
      return failure();
    scf::YieldOp::create(b, loop.getLoc(), scalarsOf(loop.getYieldOp().getOperands()));
  }
  b.setInsertionPointAfter(emitted);
  bind(loop.getResults(), emitted.getResults(), after);
  return success();
}

} // namespace blockdsl
