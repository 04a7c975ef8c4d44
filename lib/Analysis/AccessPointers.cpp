//===- AccessPointers.cpp - Pointers and loop-carried values of a kernel as formulas ----------------------------===//

#include "AccessExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using blockdsl::runtime::AccessOp;
using blockdsl::runtime::VariableKind;

namespace blockdsl {

static int64_t bytesOf(Type pointer) {
  Type pointee = cast<PtrType>(getElementTypeOrSelf(pointer)).getPointeeType();
  return pointee.isIntOrFloat() ? std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8) : 8;
}

//===-- Loops ---------------------------------------------------------------------------------------------------===//

/// Returns the trip count of a loop.
int64_t AccessExpressions::iterations(scf::ForOp loop) {
  int64_t lower = integer(loop.getLowerBound(), {}), upper = integer(loop.getUpperBound(), {});
  int64_t step = integer(loop.getStep(), {});
  int64_t zero = constant(64, 0), one = constant(64, 1);
  int64_t length = make(AccessOp::MaxS, 64, make(AccessOp::Sub, 64, upper, lower), zero);
  if (step != kUnknown && constantOf(step) == 1)
    return length;
  int64_t roundedUp = make(AccessOp::Add, 64, length, make(AccessOp::Sub, 64, step, one));
  return make(AccessOp::DivS, 64, roundedUp, step);
}

int64_t AccessExpressions::loopVariable(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return kUnknown;
  auto [found, isNew] = loops.try_emplace(loop, static_cast<int64_t>(loops.size()));
  return variable(VariableKind::Loop, found->second, iterations(loop), 64);
}

/// Returns `value - from` if `value` is the carried value `from` plus and minus other values; else kUnknown.
int64_t AccessExpressions::step(Value value, Value from, const Index &index) {
  if (value == from)
    return constant(64, 0);
  if (!value.getDefiningOp() || depth > kMaxDepth ||
      notSums.contains({value.getAsOpaquePointer(), from.getAsOpaquePointer()}))
    return kUnknown;
  Depth guard(depth);
  int64_t sum = computeStep(value.getDefiningOp(), from, index);
  if (sum == kUnknown)
    notSums.insert({value.getAsOpaquePointer(), from.getAsOpaquePointer()});
  return sum;
}

int64_t AccessExpressions::computeStep(Operation *op, Value from, const Index &index) {
  if (auto moved = dyn_cast<AddPtrOp>(op)) {
    int64_t elements = integer(moved.getOffset(), index);
    return make(AccessOp::Add, 64, step(moved.getPtr(), from, index),
                make(AccessOp::Mul, 64, elements, constant(64, bytesOf(moved.getType()))));
  }
  if (auto sum = dyn_cast<arith::AddIOp>(op))
    for (unsigned side : {0, 1})
      if (int64_t before = step(sum->getOperand(side), from, index); before != kUnknown)
        return make(AccessOp::Add, 64, before, integer(sum->getOperand(1 - side), index));
  if (auto difference = dyn_cast<arith::SubIOp>(op))
    return make(AccessOp::Sub, 64, step(difference.getLhs(), from, index), integer(difference.getRhs(), index));
  return kUnknown;
}

/// Returns the carried integer after `iterations` iterations; kUnknown unless each of them adds the same value.
int64_t AccessExpressions::carried(scf::ForOp loop, unsigned number, const Index &index, int64_t iterations) {
  Value from = loop.getRegionIterArg(number);
  int64_t init = integer(loop.getInitArgs()[number], index);
  if (iterations == kUnknown || init == kUnknown)
    return kUnknown;
  int64_t iteration = loopVariable(loop), added = step(loop.getYieldedValues()[number], from, index);
  if (iteration == kUnknown || added == kUnknown || dependsOn(added, nodes[iteration].operands[0]))
    return kUnknown;
  return fit(make(AccessOp::Add, 64, init, make(AccessOp::Mul, 64, iterations, added)), widthOf(from.getType()));
}

PointerFormula AccessExpressions::carriedPointer(scf::ForOp loop, unsigned number, const Index &index,
                                                 int64_t iterations) {
  PointerFormula init = pointer(loop.getInitArgs()[number], index);
  int64_t iteration = loopVariable(loop);
  if (!init.base || iteration == kUnknown)
    return {};
  int64_t added = step(loop.getYieldedValues()[number], loop.getRegionIterArg(number), index);
  if (added == kUnknown || dependsOn(added, nodes[iteration].operands[0]))
    return {};
  int64_t offset = make(AccessOp::Add, 64, init.offset, make(AccessOp::Mul, 64, iterations, added));
  return offset == kUnknown ? PointerFormula() : PointerFormula{init.base, offset};
}

//===-- Pointers ------------------------------------------------------------------------------------------------===//

PointerFormula AccessExpressions::choose(int64_t condition, const PointerFormula &first, const PointerFormula &second) {
  if (!first.base || first.base != second.base || condition == kUnknown)
    return {};
  return {first.base, make(AccessOp::Select, 64, condition, first.offset, second.offset)};
}

PointerFormula AccessExpressions::pointer(Value value, const Index &index) {
  if (depth > kMaxDepth || llvm::is_contained(index, kUnknown))
    return {};
  Key key(value.getAsOpaquePointer(), index);
  if (auto found = pointers.find(key); found != pointers.end())
    return found->second;
  Depth guard(depth);
  pointers[key] = {};
  PointerFormula formula = computePointer(value, index);
  if (formula.offset == kUnknown)
    formula = {};
  pointers[key] = formula;
  return formula;
}

PointerFormula AccessExpressions::computePointer(Value value, const Index &index) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FuncOp>(parent))
      return {value, constant(64, 0)};
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || argument == loop.getInductionVar())
      return {};
    return carriedPointer(loop, argument.getArgNumber() - loop.getNumInductionVars(), index, loopVariable(loop));
  }
  Operation *op = value.getDefiningOp();
  if (auto moved = dyn_cast<AddPtrOp>(op)) {
    PointerFormula from = pointer(moved.getPtr(), index);
    int64_t elements = integer(moved.getOffset(), index);
    if (!from.base || elements == kUnknown)
      return {};
    int64_t bytes = make(AccessOp::Mul, 64, elements, constant(64, bytesOf(moved.getType())));
    return {from.base, make(AccessOp::Add, 64, from.offset, bytes)};
  }
  if (auto bitcast = dyn_cast<BitcastOp>(op); bitcast && isa<PtrType>(getElementTypeOrSelf(bitcast.getSrc().getType())))
    return pointer(bitcast.getSrc(), index);
  if (std::optional<Index> source = sourceIndex(op, index))
    return pointer(op->getOperand(0), *source);
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carriedPointer(loop, number, index, iterations(loop));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return choose(integer(branch.getCondition(), {}), pointer(branch.thenYield().getOperand(number), index),
                  pointer(branch.elseYield().getOperand(number), index));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isScalar = !isa<RankedTensorType>(select.getCondition().getType());
    return choose(integer(select.getCondition(), isScalar ? Index() : index), pointer(select.getTrueValue(), index),
                  pointer(select.getFalseValue(), index));
  }
  return {};
}

} // namespace blockdsl
