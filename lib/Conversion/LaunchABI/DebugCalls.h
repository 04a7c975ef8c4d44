//===- DebugCalls.h - Asserts and prints as calls of the runtime -----------===//
//
// A kernel tells people something through two C functions of lib/Runtime. Both get the launch context and the program's
// ids.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_LAUNCHABI_DEBUGCALLS_H
#define BLOCKDSL_LIB_CONVERSION_LAUNCHABI_DEBUGCALLS_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace blockdsl {

class DebugCalls {
public:
  /// `function` holds the ops; its entry gets the buffers of what is printed.
  DebugCalls(mlir::ModuleOp module, mlir::func::FuncOp function, mlir::Value context, mlir::ValueRange programIds)
      : module(module), function(function), context(context), ids(programIds) {}

  /// Emits the calls for `op` before it; the caller erases it.
  void lower(AssertOp op);
  void lower(PrintOp op);
  /// A function of the runtime without results.
  mlir::func::FuncOp declare(mlir::OpBuilder &builder, llvm::StringRef name, mlir::TypeRange types);

private:
  mlir::Value text(mlir::ImplicitLocOpBuilder &b, llvm::StringRef value);
  mlir::Value inMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
  std::pair<mlir::Value, int32_t> printed(mlir::ImplicitLocOpBuilder &b, mlir::Value value, bool isSigned, bool hex);
  mlir::Value indicesOf(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices);

  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  mlir::Value context;
  mlir::ValueRange ids;
  llvm::DenseMap<mlir::Type, mlir::Value> slots; ///< for what is printed
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LAUNCHABI_DEBUGCALLS_H
