//===- PlanContext.cpp - State of the plan of a kernel -----------------------===//

#include "blockdsl/Plan/PlanContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

bool PlanContext::isInMemory(Value block) const {
  // A constant whose elements differ becomes a global in memory.
  DenseElementsAttr elements;
  return inMemory.contains(block) || (matchPattern(block, m_Constant(&elements)) && !elements.isSplat());
}

void PlanContext::setComputed(ValueRange values) {
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      setInMemory(value);
    else
      setAvailable(value);
}

} // namespace blockdsl
