//===- Assembly.h - PTX without branches ------------------------*- C++ -*-===//
// The text of an inline assembly, taken apart. What instructions mean is AssemblyWriter's.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLY
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLY

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace blockdsl {

/// A register, a number, or registers in braces.
struct AssemblyOperand {
  llvm::StringRef text;
  llvm::SmallVector<llvm::StringRef> parts;
  bool isVector() const { return !parts.empty(); }
};

/// `cvt.rn.f16x2.f32 $0, $2, $1`: the operands' first is what is written.
struct AssemblyInstruction {
  llvm::StringRef text, name;
  /// `@p` or `@!p` before it: where the predicate says no, nothing is written.
  llvm::StringRef predicate;
  bool isNegated = false;
  llvm::SmallVector<llvm::StringRef> suffixes;
  llvm::SmallVector<AssemblyOperand> operands;
};

struct Assembly {
  /// The text that the views below look into: it has no comments.
  std::string text;
  /// Widths of the registers it declares; a predicate has one bit.
  llvm::StringMap<unsigned> registers;
  llvm::SmallVector<AssemblyInstruction> instructions;
};

/// Takes the text of `op` apart. Labels and directives other than `.reg` are refused.
mlir::LogicalResult parseAssembly(mlir::Operation *op, llvm::StringRef text, Assembly &assembly);

/// The beginning of the error that says what of a text is not read.
mlir::InFlightDiagnostic refuseAssembly(mlir::Operation *op);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLY
