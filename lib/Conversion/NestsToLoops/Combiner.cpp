//===- Combiner.cpp - Combine regions of reductions and scans --------------===//
//
// Code of combine regions for scalars and vectors. Their properties are in CombineRegions.h.
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

//===-- Combine regions -----------------------------------------------------===//

Values combine(EmissionContext &context, OpBuilder &builder, Region &region, ValueRange lhs, ValueRange rhs) {
  IRMapping mapping;
  Block &block = region.front();
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  mapping.map(block.getArguments(), arguments);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  for (Value value : captured)
    mapping.map(value, context.getScalar(value));
  auto vectorType = dyn_cast<VectorType>(lhs[0].getType());
  for (Operation &op : block.without_terminator()) {
    // The order of combination is not defined and neutral elements are added, so an assertion could fail on values that
    // the kernel does not combine.
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

Values combineLanes(EmissionContext &context, OpBuilder &builder, Location loc, Region &region, Values vectors,
                    int64_t width) {
  while (cast<VectorType>(vectors[0].getType()).getDimSize(0) > width) {
    int64_t half = cast<VectorType>(vectors[0].getType()).getDimSize(0) / 2;
    Values low, high;
    for (Value vector : vectors) {
      low.push_back(vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{0},
                                                          ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1}));
      high.push_back(vector::ExtractStridedSliceOp::create(builder, loc, vector, ArrayRef<int64_t>{half},
                                                           ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1}));
    }
    vectors = combine(context, builder, region, low, high);
  }
  return vectors;
}

Values combineAllLanes(EmissionContext &context, OpBuilder &builder, Location loc, Region &region, Values vectors) {
  vectors = combineLanes(context, builder, loc, region, std::move(vectors), 1);
  for (Value &vector : vectors)
    vector = vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
  return vectors;
}

} // namespace blockdsl
