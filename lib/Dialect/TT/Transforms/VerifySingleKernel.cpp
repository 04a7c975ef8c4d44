//===- VerifySingleKernel.cpp - what Triton may be given --------*- C++ -*-===//
// Triton's own checks come after its assertions; these come before both.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_VERIFYSINGLEKERNELPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// A number, a pointer to one, or a descriptor of an array of them.
static bool isArgumentType(Type type) {
  if (isa<TensorDescType>(type))
    return true;
  if (auto pointer = dyn_cast<PtrType>(type))
    return !pointer.isBlockPointer();
  return type.isIntOrFloat();
}

static LogicalResult verifyKernel(FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitOpError("expects the kernel to have a body");
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("expects a kernel to return nothing, got ") << kernel.getResultTypes();
  for (BlockArgument argument : kernel.getArguments())
    if (!isArgumentType(argument.getType()))
      return kernel.emitOpError("expects a kernel's arguments to be numbers, pointers and tensor descriptors, got ")
             << argument.getType() << " for argument " << argument.getArgNumber();
  return success();
}

static bool hasBlockPointer(Operation *op) {
  auto isOne = [](Type type) {
    auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
    return pointer && pointer.isBlockPointer();
  };
  return llvm::any_of(op->getOperandTypes(), isOne) || llvm::any_of(op->getResultTypes(), isOne);
}

/// Ops that Triton has since 3.9.
static bool isOfLatest(Operation *op) { return isa<GridDependencyWaitOp, GridDependencyLaunchDependentsOp>(op); }

namespace {
struct VerifySingleKernel : blockdsl::impl::VerifySingleKernelPassBase<VerifySingleKernel> {
  using VerifySingleKernelPassBase::VerifySingleKernelPassBase;

  void runOnOperation() override {
    std::optional<TTVersion> known = parseTTVersion(version);
    if (!known) {
      getOperation().emitError("expects version 3.6 to 3.9, got ") << version;
      return signalPassFailure();
    }
    if (failed(verifyFunctions()) ||
        getOperation().walk([&](Operation *op) { return verifyOp(op, *known); }).wasInterrupted())
      signalPassFailure();
  }

  LogicalResult verifyFunctions() {
    FuncOp kernel;
    for (auto function : getOperation().getOps<FuncOp>()) {
      if (!function.isPublic())
        return function.emitOpError("expects no function besides the kernel, got private '")
               << function.getName() << "'";
      if (kernel)
        return function.emitOpError("expects one kernel in a module, got '")
               << kernel.getName() << "' and '" << function.getName() << "'";
      kernel = function;
    }
    if (!kernel)
      return getOperation().emitError("expects a kernel, a public function, got none");
    return verifyKernel(kernel);
  }

  WalkResult verifyOp(Operation *op, TTVersion known) {
    if (auto call = dyn_cast<CallOp>(op))
      return op->emitOpError("expects every call to be inlined, got one of '") << call.getCallee() << "'";
    if (hasBlockPointer(op))
      return op->emitOpError("expects no block pointer");
    if (known < TTVersion::V3_9 && isOfLatest(op))
      return op->emitOpError("expects Triton 3.9, got ") << version;
    return WalkResult::advance();
  }
};
} // namespace
