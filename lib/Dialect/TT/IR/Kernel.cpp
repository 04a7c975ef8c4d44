//===- Kernel.cpp - Conditions of a launchable kernel -----------*- C++ -*-===//
// After inlining, every function is a kernel. Later passes rely on the conditions that are verified here.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace blockdsl;

/// Returns true for numbers, pointers to scalars, and descriptors.
static bool isArgumentType(Type type) {
  if (isa<TensorDescType>(type))
    return true;
  if (auto pointer = dyn_cast<PtrType>(type))
    return !pointer.isBlockPointer();
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64;
}

static bool hasBlockPointer(Operation *op) {
  auto isBlockPointer = [](Type type) {
    auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
    return pointer && pointer.isBlockPointer();
  };
  return llvm::any_of(op->getOperandTypes(), isBlockPointer) || llvm::any_of(op->getResultTypes(), isBlockPointer);
}

LogicalResult blockdsl::verifyDescriptorParameter(FuncOp kernel, unsigned argument) {
  auto type = dyn_cast<TensorDescType>(kernel.getArgument(argument).getType());
  if (!type)
    return success();
  ArrayRef<Type> after = kernel.getArgumentTypes().drop_front(argument + 1);
  size_t rank = type.getRank();
  if (after.size() >= 2 * rank && llvm::all_of(after.take_front(rank), [](Type each) { return each.isInteger(32); }) &&
      llvm::all_of(after.slice(rank, rank), [](Type each) { return each.isInteger(64); }))
    return success();
  return kernel.emitOpError("expects parameter ") << argument << " (" << type << ") to be followed by " << rank
                                                  << " sizes (i32) and " << rank << " strides (i64)";
}

LogicalResult blockdsl::verifyKernel(FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitOpError("expects the kernel to have a body");
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("expects a kernel to return nothing, got ") << kernel.getResultTypes();
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isArgumentType(argument.getType()))
      return kernel.emitOpError("expects a kernel's arguments to be numbers, pointers and tensor descriptors, got ")
             << argument.getType() << " for argument " << argument.getArgNumber();
    if (failed(verifyDescriptorParameter(kernel, argument.getArgNumber())))
      return failure();
  }
  WalkResult inlined = kernel.walk([](Operation *op) -> WalkResult {
    if (auto call = dyn_cast<CallOp>(op))
      return call.emitOpError("expects every call to be inlined, got one of '") << call.getCallee() << "'";
    if (hasBlockPointer(op))
      return op->emitOpError("expects no block pointer");
    return success();
  });
  return failure(inlined.wasInterrupted());
}
