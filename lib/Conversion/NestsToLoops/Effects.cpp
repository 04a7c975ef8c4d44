//===- Effects.cpp - Stores and assertions of a nest --------------------------===//

#include "Effects.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace blockdsl {

void emitEffects(ElementEmitter &elementEmitter, linalg::GenericOp generic, Position position, Writes &writes,
                 int64_t streamed) {
  LaneEmitter &lanes = elementEmitter.getLanes();
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op))
      continue; // computed as an operand of an effect
    SmallVector<LaneValue> operands;
    for (Value operand : op.getOperands())
      operands.push_back(elementEmitter.getInBody(generic, operand, position));
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<LaneValue> mask;
      if (store.getMask())
        mask = operands[2];
      LaneEmitter::Access access{store.getValue().getType(), false, streamed != 0, streamed};
      writes.push_back([&lanes, operands, access, mask] { lanes.store(operands[0], operands[1], access, mask); });
      continue;
    }
    Values values;
    for (const LaneValue &operand : operands)
      values.push_back(operand.isStrided() ? lanes.vector(operand) : operand.value);
    Operation *source = &op;
    writes.push_back([&lanes, source, values] {
      OperationState state(source->getLoc(), source->getName(), values, TypeRange{},
                           source->getDiscardableAttrDictionary().getValue());
      state.propertiesAttr = source->getPropertiesAsAttribute();
      lanes.here().create(state);
    });
  }
}

} // namespace blockdsl
