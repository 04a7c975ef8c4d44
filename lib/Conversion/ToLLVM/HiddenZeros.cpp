//===- HiddenZeros.cpp - Opaque constants that stop LLVM folds --------------===//

#include "HiddenZeros.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace blockdsl {

Value spread(Value lane, VectorType type) {
  ImplicitLocOpBuilder b(lane.getLoc(), type.getContext());
  b.setInsertionPointAfterValue(lane);
  Value none = LLVM::PoisonOp::create(b, type);
  Value zero = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0));
  Value first = LLVM::InsertElementOp::create(b, none, lane, zero);
  return LLVM::ShuffleVectorOp::create(b, first, none, SmallVector<int32_t>(type.getNumElements(), 0));
}

Value hide(OpBuilder &b, Value value, StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, value.getLoc(), value.getType(), value, "", constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

void HiddenZeros::join(OpOperand &use) {
  OpBuilder b(use.getOwner());
  use.set(joined(b, use.get()));
}

Value HiddenZeros::joined(OpBuilder &b, Value integer) {
  return LLVM::OrOp::create(b, integer.getLoc(), integer, zeroOf(integer.getType()));
}

Value HiddenZeros::zeroOf(Type type) {
  if (Value zero = zeros.lookup(type))
    return zero;
  if (auto vector = dyn_cast<VectorType>(type))
    return zeros[type] = spread(zeroOf(vector.getElementType()), vector);
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.front());
  return zeros[type] = hide(b, LLVM::ConstantOp::create(b, type, b.getZeroAttr(type)), "=r,0");
}

} // namespace blockdsl
