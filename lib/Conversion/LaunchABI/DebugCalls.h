//===- DebugCalls.h - Lowering of asserts and prints to runtime calls ------===//
//
// Asserts and prints call C functions of lib/Runtime with the launch context and the program's ids.
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
  /// `function` contains the ops; buffers for printed values are allocated in its entry block.
  DebugCalls(mlir::ModuleOp module, mlir::func::FuncOp function, mlir::Value context, mlir::ValueRange programIds)
      : module(module), function(function), context(context), ids(programIds) {}

  /// Emit the calls before `op`, which the caller erases.
  void lower(AssertOp op);
  void lower(PrintOp op);
  /// Declares a function of the runtime without results.
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
  llvm::DenseMap<mlir::Type, mlir::Value> slots; ///< stack slots for printed values
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LAUNCHABI_DEBUGCALLS_H
