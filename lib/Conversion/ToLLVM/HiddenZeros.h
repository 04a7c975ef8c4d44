//===- HiddenZeros.h - Opaque constants that stop LLVM folds ----------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_HIDDENZEROS_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_HIDDENZEROS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace blockdsl {

/// `lane` for all lanes of a vector, beside which it was computed.
mlir::Value spread(mlir::Value lane, mlir::VectorType type);

/// `value` behind assembly of no instruction, of which LLVM does not know that it gives what it takes.
mlir::Value hide(mlir::OpBuilder &b, mlir::Value value, llvm::StringRef constraints);

/// Zeros that LLVM does not know: of an integer that is joined with them it knows no bit.
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
