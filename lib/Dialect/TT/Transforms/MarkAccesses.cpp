//===- MarkAccesses.cpp - Formulas of a kernel's accesses, for the launcher --------------------------------------===//
// Attaches the result of the analysis AccessBounds to the module. Nothing else changes.
//===--------------------------------------------------------------------------------------------------------------===//
#include "blockdsl/Analysis/AccessBounds.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_MARKACCESSESPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"

namespace {

constexpr StringLiteral kAccesses = "blockdsl.accesses";
constexpr StringLiteral kLocations = "blockdsl.access_locations";

struct MarkAccesses : impl::MarkAccessesPassBase<MarkAccesses> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (FuncOp function : module.getOps<FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      SmallVector<Operation *> ops;
      std::vector<int64_t> code = AccessBounds(function).encode(ops);
      if (!code.empty()) {
        SmallVector<Attribute> locations =
            llvm::map_to_vector(ops, [](Operation *op) { return Attribute(LocationAttr(op->getLoc())); });
        module->setAttr(kAccesses, DenseI64ArrayAttr::get(&getContext(), code));
        module->setAttr(kLocations, ArrayAttr::get(&getContext(), locations));
      }
      // The launcher evaluates the formulas with the arguments of one kernel: the first.
      return;
    }
  }
};

} // namespace
} // namespace blockdsl
