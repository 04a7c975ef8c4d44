//===- Assembly.h - Parsed inline assembly ----------------------*- C++ -*-===//
// Instructions and registers of PTX without branches. AssemblyWriter gives the instructions their meaning.
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
  llvm::StringRef text, opcode, name;
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

/// The strongest order of memory between programs that an instruction asks for.
enum class MemoryOrder { None, AcquireRelease, SequentiallyConsistent };

/// Returns the order if `instruction` is a barrier, a fence or a hint, which computes nothing; otherwise nothing.
std::optional<MemoryOrder> findMemoryOrder(const AssemblyInstruction &instruction);

/// Returns the functions of the language that do what an instruction or a special register does; empty if unknown.
llvm::StringRef findReplacement(llvm::StringRef name);

/// Starts the error that says which part of a text is not read, with a hint that names `replacement` unless empty.
mlir::InFlightDiagnostic refuseAssembly(mlir::Operation *op, llvm::StringRef replacement = "");

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLY
