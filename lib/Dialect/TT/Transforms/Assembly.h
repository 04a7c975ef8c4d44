//===- Assembly.h - Parsed inline assembly ----------------------*- C++ -*-===//
// PTX instructions and registers, without branches. AssemblyWriter translates the instructions.
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

/// An instruction such as `cvt.rn.f16x2.f32 $0, $2, $1`. The first operand is the destination.
struct AssemblyInstruction {
  llvm::StringRef text, opcode, name;
  /// The predicate of `@p` or `@!p`. The instruction writes nothing if it does not hold.
  llvm::StringRef predicate;
  bool isNegated = false;
  llvm::SmallVector<llvm::StringRef> suffixes;
  llvm::SmallVector<AssemblyOperand> operands;
};

struct Assembly {
  /// The text without comments. The views below point into it.
  std::string text;
  /// Bit widths of the declared registers. A predicate has one bit.
  llvm::StringMap<unsigned> registers;
  llvm::SmallVector<AssemblyInstruction> instructions;
};

/// Parses the text of `op`. Emits an error for branches and for directives other than `.reg`.
mlir::LogicalResult parseAssembly(mlir::Operation *op, llvm::StringRef text, Assembly &assembly);

/// The order between memory accesses of programs that an instruction requires.
enum class MemoryOrder { None, AcquireRelease, SequentiallyConsistent };

/// Returns the order if `instruction` is a barrier, a fence or a hint, none of which computes a value.
std::optional<MemoryOrder> findMemoryOrder(const AssemblyInstruction &instruction);

/// Returns the functions of the language that replace an instruction or a special register; empty if unknown.
llvm::StringRef findReplacement(llvm::StringRef name);

/// Starts an error about an unsupported part of a text. A note names `replacement`, unless it is empty.
mlir::InFlightDiagnostic refuseAssembly(mlir::Operation *op, llvm::StringRef replacement = "");

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLY
