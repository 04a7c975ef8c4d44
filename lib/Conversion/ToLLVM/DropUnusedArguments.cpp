//===- DropUnusedArguments.cpp - Removal of unused arguments -----------------===//
//
// llvm.func internal @f(%used, %unused); llvm.call @f(%a, %b) -> llvm.func internal @f(%used); llvm.call @f(%a)
//
// LLVM's pipeline for vectorized code has only function passes and does not do this.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_DROPUNUSEDARGUMENTS
#include "blockdsl/Conversion/Passes.h.inc"

/// Returns the calls of a function; nullopt if it has other uses.
static std::optional<SmallVector<LLVM::CallOp>> callsOf(LLVM::LLVMFuncOp function, SymbolUserMap &users) {
  SmallVector<LLVM::CallOp> calls;
  for (Operation *user : users.getUsers(function)) {
    auto call = dyn_cast<LLVM::CallOp>(user);
    if (!call || call.getCallee() != function.getName() || call.getArgAttrsAttr())
      return std::nullopt;
    calls.push_back(call);
  }
  return calls;
}

/// Erases arguments. `LLVMFuncOp::eraseArguments` fails for functions without a result.
static void eraseArguments(LLVM::LLVMFuncOp function, const llvm::BitVector &unused) {
  SmallVector<Type> parameters;
  for (BlockArgument argument : function.getArguments())
    if (!unused[argument.getArgNumber()])
      parameters.push_back(argument.getType());
  LLVM::LLVMFunctionType type = function.getFunctionType();
  type = LLVM::LLVMFunctionType::get(type.getReturnType(), parameters, type.isVarArg());
  function_interface_impl::eraseFunctionArguments(function, unused, type);
}

static void eraseOperands(LLVM::CallOp call, const llvm::BitVector &unused) {
  SmallVector<Value> used;
  for (auto [index, operand] : llvm::enumerate(call.getCalleeOperands()))
    if (!unused[index])
      used.push_back(operand);
  call.getCalleeOperandsMutable().assign(used);
}

namespace {

struct DropUnusedArgumentsPass : impl::DropUnusedArgumentsBase<DropUnusedArgumentsPass> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal() || function.getLinkage() != LLVM::Linkage::Internal)
        continue;
      llvm::BitVector unused(function.getNumArguments());
      for (BlockArgument argument : function.getArguments())
        unused[argument.getArgNumber()] = argument.use_empty();
      std::optional<SmallVector<LLVM::CallOp>> calls = unused.any() ? callsOf(function, users) : std::nullopt;
      if (!calls)
        continue;
      eraseArguments(function, unused);
      for (LLVM::CallOp call : *calls)
        eraseOperands(call, unused);
    }
  }
};

} // namespace

} // namespace blockdsl
