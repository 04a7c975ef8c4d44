//===- LowZeros.h - Known trailing zero bits --------------------*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H
#define BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace blockdsl {

/// How many of the lowest bits of integers are zero, or may turn out to be while LLVM simplifies: 64 where that is
/// open, as after a shift by what is a constant once a loop is unrolled.
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
  /// What is read may be any number that the function writes. One that is constant then is no index to speak of.
  unsigned stored = 0;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_TOLLVM_LOWZEROS_H
