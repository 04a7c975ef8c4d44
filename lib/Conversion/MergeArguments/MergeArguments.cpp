//===- MergeArguments.cpp - Merging of equal pointer arguments ----------------------------------------------------===//
//
// For launches that pass one tensor for several parameters, for example to update it in place. If all of them are one
// value, later passes know exactly which loads and stores alias.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <numeric>

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_MERGEARGUMENTS
#include "blockdsl/Conversion/Passes.h.inc"

namespace {

constexpr StringLiteral kDivisibility = "tt.divisibility";

struct MergeArguments : impl::MergeArgumentsBase<MergeArguments> {
  using MergeArgumentsBase::MergeArgumentsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(merge(function)))
        return signalPassFailure();
  }

  LogicalResult merge(FunctionOpInterface function) const {
    if (leaders.size() > function.getNumArguments())
      return function.emitError("option 'leaders' expects at most ")
             << function.getNumArguments() << " numbers, one an argument, got " << leaders.size();
    for (auto [index, leader] : llvm::enumerate(leaders)) {
      if (leader == static_cast<int64_t>(index))
        continue;
      if (leader < 0 || leader > static_cast<int64_t>(index))
        return function.emitError("option 'leaders' expects an argument up to ")
               << index << " for argument " << index << ", got " << leader;
      Type type = function.getArgument(index).getType(), leading = function.getArgument(leader).getType();
      auto pointer = dyn_cast<PtrType>(type), leadingPointer = dyn_cast<PtrType>(leading);
      if (!pointer || !leadingPointer || pointer.getPointeeType() != leadingPointer.getPointeeType())
        return function.emitError("expects arguments ")
               << leader << " and " << index << " to be pointers to one type, got " << leading << " and " << type;
      if (type != leading)
        dropAddressSpaces(function);
      mergeInto(function, leader, index);
    }
    return success();
  }

  /// Moves every pointer of a function to global memory, the only memory of a CPU, so that a `tl.const` pointer can be
  /// the same value as a plain one.
  static void dropAddressSpaces(FunctionOpInterface function) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](PtrType type) -> Type { return PtrType::get(type.getPointeeType()); });
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  /// Replaces an argument by `leader` and merges their attributes.
  static void mergeInto(FunctionOpInterface function, unsigned leader, unsigned index) {
    function.getArgument(index).replaceAllUsesWith(function.getArgument(leader));
    for (NamedAttribute attribute : function.getArgAttrs(index)) {
      auto mine = function.getArgAttrOfType<IntegerAttr>(leader, attribute.getName());
      auto theirs = dyn_cast<IntegerAttr>(attribute.getValue());
      if (attribute.getName() == kDivisibility && mine && theirs)
        function.setArgAttr(leader, kDivisibility,
                            IntegerAttr::get(mine.getType(), std::lcm(mine.getInt(), theirs.getInt())));
      else if (!function.getArgAttr(leader, attribute.getName()))
        function.setArgAttr(leader, attribute.getName(), attribute.getValue());
    }
  }
};

} // namespace
} // namespace blockdsl
