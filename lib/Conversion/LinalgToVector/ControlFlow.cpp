//===- ControlFlow.cpp - Loops and branches around blocks ------------------===//

#include "Accumulation.h"
#include "BlockWriter.h"
#include "LoopBounds.h"
#include "Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

LogicalResult BlockWriter::writeStructured(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return writeWhile(loop);
  return op->emitOpError("has no form on the CPU yet");
}

/// The types of the scalars among `values`, as they are held in registers.
static SmallVector<Type> scalarTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      result.push_back(LaneEmitter::registerType(type));
  return result;
}

/// Binds the scalars among `sources` to `emitted`, and the blocks to the buffers of `carried`.
static void bind(Kernel &kernel, ValueRange sources, ValueRange emitted, ValueRange carried) {
  unsigned next = 0;
  for (auto [source, buffer] : llvm::zip(sources, carried)) {
    if (isa<RankedTensorType>(source.getType()))
      kernel.setBuffer(source, *kernel.getBuffer(buffer));
    else
      kernel.setScalar(source, emitted[next++]);
  }
}

/// Whether a turn of a loop computes blocks; loops of scalars alone are left to LLVM as they are.
static bool hasBlocks(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Copies what the loop carries to its buffers, but for blocks that the first turn knows to be zero: those it returns.
BlockWriter::Targets BlockWriter::writeLoopInits(scf::ForOp loop) {
  SmallVector<Value> values, targets;
  Targets late;
  for (auto [index, value, carried] : llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (getAccumulated(loop, index) && startsWithZero(loop, index)) {
      kernel.getOrAllocate(carried);
      late.push_back({value, carried});
    } else {
      values.push_back(value);
      targets.push_back(carried);
    }
  }
  writeInits(values, targets);
  return late;
}

/// Tells the products that the loop adds up which turn is the first, and which the last.
void BlockWriter::setAccumulations(scf::ForOp loop, scf::ForOp emitted) {
  OpBuilder &b = kernel.builder;
  Location loc = loop.getLoc();
  Value turn = emitted.getInductionVar();
  for (unsigned index = 0; index < loop.getNumResults(); ++index) {
    linalg::LinalgOp product = getAccumulated(loop, index);
    if (!product)
      continue;
    Accumulation accumulation = kernel.getAccumulation(product);
    if (startsWithZero(loop, index))
      accumulation.isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, turn, emitted.getLowerBound());
    if (accumulation.stores) {
      // What is complete is read as the result that it is.
      kernel.setBuffer(loop.getResult(index), *kernel.getBuffer(loop.getRegionIterArg(index)));
      // A sum could wrap; the distance to a bound that is not reached yet is right as an unsigned number.
      Value left = arith::SubIOp::create(b, loc, emitted.getUpperBound(), turn);
      accumulation.isComplete = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, left, emitted.getStep());
    }
    kernel.setAccumulation(product, accumulation);
  }
}

/// What the first turn and the last would have done, where there is none.
void BlockWriter::writeWithoutTurns(scf::ForOp loop, scf::ForOp emitted, const Targets &late) {
  Unit *stores = nullptr;
  for (unsigned index = 0; index < loop.getNumResults(); ++index)
    if (linalg::LinalgOp product = getAccumulated(loop, index); product && kernel.getAccumulation(product).stores)
      stores = kernel.getAccumulation(product).stores;
  std::optional<APInt> turns = loop.getStaticTripCount();
  if ((late.empty() && !stores) || (turns && !turns->isZero()))
    return;
  OpBuilder &b = kernel.builder;
  auto predicate = emitted.getUnsignedCmp() ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  Value none = arith::CmpIOp::create(b, loop.getLoc(), predicate, emitted.getLowerBound(), emitted.getUpperBound());
  auto branch = scf::IfOp::create(b, loop.getLoc(), none, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  SmallVector<Value> values, targets;
  for (auto [value, target] : late) {
    values.push_back(value);
    targets.push_back(target);
  }
  writeInits(values, targets);
  if (stores)
    Nest(kernel, *stores).emit();
}

LogicalResult BlockWriter::writeFor(scf::ForOp loop) {
  OpBuilder &b = kernel.builder;
  ValueRange carried = loop.getRegionIterArgs();
  Targets late = writeLoopInits(loop);
  auto emitted = scf::ForOp::create(b, loop.getLoc(), kernel.getScalar(loop.getLowerBound()),
                                    kernel.getScalar(loop.getUpperBound()), kernel.getScalar(loop.getStep()),
                                    scalarsOf(loop.getInitArgs()), nullptr, loop.getUnsignedCmp());
  kernel.setScalar(loop.getInductionVar(), boundTurns(emitted));
  // To ask in every turn whether to stop is little beside blocks, and much beside scalars.
  emitted->setAttr(hasBlocks(loop) ? "blockdsl.source_loop" : "blockdsl.scalar_loop", b.getUnitAttr());
  bind(kernel, carried, emitted.getRegionIterArgs(), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = emitted.getBody();
    if (body->mightHaveTerminator())
      b.setInsertionPoint(body->getTerminator());
    else
      b.setInsertionPointToEnd(body);
    ValueRange yielded = loop.getYieldedValues();
    setAccumulations(loop, emitted);
    if (failed(write(*loop.getBody(), orderYields(*loop.getBody(), yielded, carried, loop.getResults()))))
      return failure();
    if (emitted.getNumResults() != 0)
      scf::YieldOp::create(b, loop.getLoc(), scalarsOf(yielded));
  }
  bind(kernel, loop.getResults(), emitted.getResults(), carried);
  writeWithoutTurns(loop, emitted, late);
  return success();
}

LogicalResult BlockWriter::writeIf(scf::IfOp branch) {
  OpBuilder &b = kernel.builder;
  SmallVector<Type> types = scalarTypes(branch.getResultTypes());
  bool hasElse = !branch.getElseRegion().empty();
  auto emitted = scf::IfOp::create(b, branch.getLoc(), types, kernel.getScalar(branch.getCondition()), hasElse);
  for (Value result : branch.getResults())
    if (isa<RankedTensorType>(result.getType()))
      kernel.getOrAllocate(result);
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
    Targets targets;
    ValueRange yielded = source->getTerminator()->getOperands();
    for (auto [value, result] : llvm::zip(yielded, branch.getResults()))
      if (isa<RankedTensorType>(value.getType()))
        targets.push_back({value, result});
    if (failed(write(*source, targets)))
      return failure();
    if (!types.empty())
      scf::YieldOp::create(b, branch.getLoc(), scalarsOf(yielded));
  }
  bind(kernel, branch.getResults(), emitted.getResults(), branch.getResults());
  return success();
}

LogicalResult BlockWriter::writeWhile(scf::WhileOp loop) {
  OpBuilder &b = kernel.builder;
  ValueRange before = loop.getBeforeArguments(), after = loop.getAfterArguments();
  writeInits(loop.getInits(), before);
  for (Value argument : after)
    if (isa<RankedTensorType>(argument.getType()))
      kernel.getOrAllocate(argument);
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
    bind(kernel, before, beforeBlock->getArguments(), before);
    b.setInsertionPointToEnd(beforeBlock);
    scf::ConditionOp condition = loop.getConditionOp();
    Targets targets;
    for (auto [value, target] : llvm::zip(condition.getArgs(), after))
      if (isa<RankedTensorType>(value.getType()))
        targets.push_back({value, target});
    if (failed(write(*loop.getBeforeBody(), targets)))
      return failure();
    scf::ConditionOp::create(b, loop.getLoc(), kernel.getScalar(condition.getCondition()),
                             scalarsOf(condition.getArgs()));
    bind(kernel, after, afterBlock->getArguments(), after);
    b.setInsertionPointToEnd(afterBlock);
    ValueRange yielded = loop.getYieldOp().getOperands();
    Targets next;
    for (auto [value, target] : llvm::zip(yielded, before))
      if (isa<RankedTensorType>(value.getType()))
        next.push_back({value, target});
    if (failed(write(*loop.getAfterBody(), next)))
      return failure();
    scf::YieldOp::create(b, loop.getLoc(), scalarsOf(yielded));
  }
  b.setInsertionPointAfter(emitted);
  bind(kernel, loop.getResults(), emitted.getResults(), after);
  return success();
}

} // namespace blockdsl
