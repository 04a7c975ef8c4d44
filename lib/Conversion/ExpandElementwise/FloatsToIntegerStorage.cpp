//===- FloatsToIntegerStorage.cpp - Conversion of small floats to integers ===//
//
// After the expansion no op computes with small floats, so their types and constants are replaced by integers of the
// same width. Bitcasts between the two are removed; other ops stay. f16 stays, because LLVM moves it unchanged.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_FLOATSTOINTEGERSTORAGE
#include "blockdsl/Conversion/Passes.h.inc"

/// Returns the integer type that replaces a float type; null for other types.
static IntegerType heldAs(Type type) {
  auto element = dyn_cast<FloatType>(type);
  if (!element || !(element.isBF16() || element.getWidth() == 8))
    return {};
  return IntegerType::get(type.getContext(), element.getWidth());
}

static AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> std::optional<Type> {
    if (Type bits = heldAs(type))
      return bits;
    return std::nullopt;
  });
  replacer.addReplacement([](FloatAttr number) -> std::optional<Attribute> {
    if (Type bits = heldAs(number.getType()))
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    return std::nullopt;
  });
  replacer.addReplacement([](DenseFPElementsAttr numbers) -> std::optional<Attribute> {
    if (Type bits = heldAs(numbers.getElementType()))
      return numbers.bitcast(bits);
    return std::nullopt;
  });
  return replacer;
}

/// Returns the operands of intrinsics that multiply these floats, whose signatures require float types.
static SmallVector<std::pair<OpOperand *, Type>> floatsOfIntrinsics(ModuleOp module) {
  SmallVector<std::pair<OpOperand *, Type>> found;
  module.walk([&](LLVM::CallIntrinsicOp call) {
    for (OpOperand &operand : call->getOpOperands())
      if (Type type = operand.get().getType(); heldAs(getElementTypeOrSelf(type)))
        found.emplace_back(&operand, type);
  });
  return found;
}

namespace {

struct FloatsToIntegerStoragePass : impl::FloatsToIntegerStorageBase<FloatsToIntegerStoragePass> {
  void runOnOperation() override {
    SmallVector<std::pair<OpOperand *, Type>> ofIntrinsics = floatsOfIntrinsics(getOperation());
    AttrTypeReplacer replacer = makeReplacer();
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (auto [operand, type] : ofIntrinsics) {
      OpBuilder b(operand->getOwner());
      operand->set(LLVM::BitcastOp::create(b, operand->getOwner()->getLoc(), type, operand->get()));
    }
    getOperation().walk([](arith::BitcastOp cast) {
      if (cast.getType() != cast.getIn().getType())
        return;
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    });
  }
};

} // namespace

} // namespace blockdsl
