//===- LowZeros.h - Known trailing zero bits --------------------*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace blockdsl {

/// The number of low bits of integers that are zero, or that may become zero when LLVM simplifies: 64 if that is
/// unknown, for instance after a shift by a value that becomes a constant when a loop is unrolled.
class LowZeros {
public:
  explicit LowZeros(mlir::LLVM::LLVMFuncOp function);

  unsigned lookup(mlir::Value value) const {
    auto found = zeros.find(value);
    return found == zeros.end() ? all : found->second;
  }

private:
  static constexpr unsigned all = 64;

  static unsigned of(const llvm::APInt &constant) { return constant.isZero() ? all : constant.countr_zero(); }
  unsigned of(mlir::Operation *op) const;
  bool lower(mlir::Value value, unsigned count);
  bool visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, unsigned> zeros;
  /// For loaded values, which may be any value that the function stores. Stored constants are ignored.
  unsigned stored = 0;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H
