//===- HiddenZeros.h - Opaque constants that stop LLVM folds ----------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_HIDDENZEROS_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_HIDDENZEROS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace blockdsl {

/// Returns a vector with `lane` in all lanes, computed after the definition of `lane`.
mlir::Value spread(mlir::Value lane, mlir::VectorType type);

/// Returns `value` through an empty inline assembly, whose result is opaque to LLVM.
mlir::Value hide(mlir::OpBuilder &b, mlir::Value value, llvm::StringRef constraints);

/// Opaque zeros. ORing an integer with them hides its known bits from LLVM.
class HiddenZeros {
public:
  explicit HiddenZeros(mlir::LLVM::LLVMFuncOp function) : function(function) {}

  void join(mlir::OpOperand &use);
  mlir::Value joined(mlir::OpBuilder &b, mlir::Value integer);

private:
  mlir::Value zeroOf(mlir::Type type);

  mlir::LLVM::LLVMFuncOp function;
  llvm::DenseMap<mlir::Type, mlir::Value> zeros;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TOLLVM_HIDDENZEROS_H
