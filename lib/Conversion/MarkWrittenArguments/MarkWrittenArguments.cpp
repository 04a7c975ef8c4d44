//===- MarkWrittenArguments.cpp - Attributes of arguments that a kernel stores through ----------------------------===//
//
// The launcher rejects read-only memory for these arguments, and chooses a variant of the kernel if one of them
// overlaps another argument. Expects functions without calls, block pointers and descriptors.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_MARKWRITTENARGUMENTS
#include "blockdsl/Conversion/Passes.h.inc"

namespace {

constexpr StringLiteral kWritten = "blockdsl.written";

bool isPointer(Value value) { return isa<PtrType>(getElementTypeOrSelf(value.getType())); }

/// Returns the pointers that an op itself, without its regions, may write through.
SmallVector<Value> getWrittenPointers(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  SmallVector<Value> written;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    if (Value value = effect.getValue())
      written.push_back(value);
    else // An unspecified write may be through any pointer operand.
      llvm::append_range(written, op->getOperands());
  }
  llvm::erase_if(written, [](Value value) { return !isPointer(value); });
  return written;
}

struct MarkWrittenArguments : impl::MarkWrittenArgumentsBase<MarkWrittenArguments> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        mark(function);
  }

  static void mark(FunctionOpInterface function) {
    PointerAnalysis pointers;
    llvm::SmallSetVector<Value, 8> bases;
    function.walk([&](Operation *op) {
      for (Value pointer : getWrittenPointers(op))
        bases.insert(pointers.getBase(pointer));
    });
    // A store through an address of unknown origin may be through any argument.
    bool isAnyWritten = bases.contains(Value());
    for (BlockArgument argument : function.getArguments())
      if (isPointer(argument) && (isAnyWritten || bases.contains(argument)))
        function.setArgAttr(argument.getArgNumber(), kWritten, UnitAttr::get(function.getContext()));
  }
};

} // namespace
} // namespace blockdsl
