//===- Combiner.cpp - Combine regions of reductions and scans --------------===//
//
// What is known of a region (a neutral element), and its code for scalars and vectors.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"

#include "LoopBounds.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

//===-- Neutral elements ----------------------------------------------------===//

TypedAttr getIdentity(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  Builder b(combiner->getContext());
  auto number = [&](const APFloat &value) -> TypedAttr { return b.getFloatAttr(type, value); };
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    if (isa<arith::AddFOp>(combiner))
      return number(APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(combiner))
      return number(APFloat(semantics, 1));
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
      return number(APFloat::getNaN(semantics));
    if (isa<arith::MaximumFOp>(combiner))
      return number(APFloat::getInf(semantics, /*Negative=*/true));
    if (isa<arith::MinimumFOp>(combiner))
      return number(APFloat::getInf(semantics));
    return {};
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  auto of = [&](const APInt &value) -> TypedAttr { return b.getIntegerAttr(type, value); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combiner))
    return of(APInt::getZero(width));
  if (isa<arith::MulIOp>(combiner))
    return of(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combiner))
    return of(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(combiner))
    return of(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combiner))
    return of(APInt::getSignedMaxValue(width));
  return {};
}

bool isNeutral(Operation *combiner, TypedAttr constant) {
  TypedAttr identity = getIdentity(combiner);
  if (!identity || !constant)
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    if (isa<arith::AddFOp>(combiner))
      return number.getValue().isZero();
    // The identity of maxnumf is NaN, but an infinity loses against every number too.
    if (isa<arith::MaxNumFOp, arith::MaximumFOp>(combiner))
      return number.getValue().isInfinity() && number.getValue().isNegative();
    if (isa<arith::MinNumFOp, arith::MinimumFOp>(combiner))
      return number.getValue().isInfinity() && !number.getValue().isNegative();
  }
  return identity == constant;
}

bool needsOneLane(Region &region) {
  return llvm::any_of(region.front(), [](Operation &op) { return op.getNumRegions() != 0; });
}

//===-- Combine regions -----------------------------------------------------===//

Values combine(Kernel &kernel, OpBuilder &builder, Region &region, ValueRange lhs, ValueRange rhs) {
  IRMapping mapping;
  Block &block = region.front();
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  mapping.map(block.getArguments(), arguments);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  for (Value value : captured)
    mapping.map(value, kernel.getScalar(value));
  auto vectorType = dyn_cast<VectorType>(lhs[0].getType());
  for (Operation &op : block.without_terminator()) {
    // Which elements meet is up to us, with neutral ones among them: what an assertion would see is nobody's.
    if (isa<AssertOp>(op))
      continue;
    bool anyVector = llvm::any_of(
        op.getOperands(), [&](Value operand) { return isa<VectorType>(mapping.lookupOrDefault(operand).getType()); });
    if (!anyVector) {
      boundClonedLoops(builder.clone(op, mapping));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      Value mapped = mapping.lookupOrDefault(operand);
      if (!isa<VectorType>(mapped.getType()))
        mapped = vector::BroadcastOp::create(builder, op.getLoc(),
                                             VectorType::get(vectorType.getShape(), mapped.getType()), mapped);
      operands.push_back(mapped);
    }
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(VectorType::get(vectorType.getShape(), type));
    OperationState state(op.getLoc(), op.getName(), operands, types, op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    mapping.map(op.getResults(), builder.create(state)->getResults());
  }
  Values results;
  for (auto [value, like] : llvm::zip(block.getTerminator()->getOperands(), lhs)) {
    Value mapped = mapping.lookupOrDefault(value);
    if (isa<VectorType>(like.getType()) && !isa<VectorType>(mapped.getType()))
      mapped = vector::BroadcastOp::create(builder, mapped.getLoc(), cast<VectorType>(like.getType()), mapped);
    results.push_back(mapped);
  }
  return results;
}

Values combineLanes(Kernel &kernel, OpBuilder &builder, Location loc, Region &region, Values vectors, int64_t width) {
  while (cast<VectorType>(vectors[0].getType()).getDimSize(0) > width) {
    int64_t half = cast<VectorType>(vectors[0].getType()).getDimSize(0) / 2;
    Values low, high;
    for (Value vector : vectors) {
      low.push_back(vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{0},
                                                          ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1}));
      high.push_back(vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{half},
                                                           ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1}));
    }
    vectors = combine(kernel, builder, region, low, high);
  }
  return vectors;
}

Values combineAllLanes(Kernel &kernel, OpBuilder &builder, Location loc, Region &region, Values vectors) {
  vectors = combineLanes(kernel, builder, loc, region, std::move(vectors), 1);
  for (Value &vector : vectors)
    vector = vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
  return vectors;
}

} // namespace blockdsl
