//===- CallExterns.cpp - Calls of libdevice functions in the module -------===//
//
// Other front ends know a function of libdevice by its symbol only. If the function is written in the language, the
// module has one private function for each type that it is called with, and its uses become ordinary calls.
//
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_CALLEXTERNSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

namespace {
struct CallExterns : blockdsl::impl::CallExternsPassBase<CallExterns> {
  void runOnOperation() override {
    llvm::StringMap<SmallVector<FuncOp>> functions;
    for (auto function : getOperation().getOps<FuncOp>())
      if (function.isPrivate())
        functions[function.getSymName().split('.').first].push_back(function);
    getOperation().walk([&](ExternElementwiseOp op) {
      auto found = functions.find(op.getSymbol());
      if (found == functions.end())
        return;
      auto type = FunctionType::get(op.getContext(), op->getOperandTypes(), op->getResultTypes());
      auto *function = llvm::find_if(found->second, [&](FuncOp each) { return each.getFunctionType() == type; });
      if (function == found->second.end())
        return;
      OpBuilder b(op);
      auto call = CallOp::create(b, op.getLoc(), *function, op->getOperands());
      op->replaceAllUsesWith(call);
      op->erase();
    });
  }
};
} // namespace
