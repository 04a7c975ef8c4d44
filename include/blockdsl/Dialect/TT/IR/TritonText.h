//===- TritonText.h - the text of Triton's versions -------------*- C++ -*-===//
// Which version of Triton printed text is for. Parsing needs no version: every spelling is read.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TRITONTEXT_H
#define BLOCKDSL_DIALECT_TT_IR_TRITONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class Operation;
} // namespace mlir

namespace blockdsl {

/// The versions whose texts differ. 3.6 and 3.7 differ in the barrier, 3.7 and 3.8 in the type of tensor
/// descriptors, 3.9 in cache hints and address spaces.
enum class TTVersion { V3_6, V3_7, V3_8, V3_9 };

/// Reads "3.6" to "3.9".
std::optional<TTVersion> parseTTVersion(llvm::StringRef text);
/// The same for a pass, which says at `op` what it expects.
std::optional<TTVersion> parseTTVersion(llvm::StringRef text, mlir::Operation *op);

/// While it lives, this thread prints text for `version`. Without one, text is for the newest.
class PrintVersionScope {
public:
  explicit PrintVersionScope(TTVersion version);
  ~PrintVersionScope();
  PrintVersionScope(const PrintVersionScope &) = delete;
  PrintVersionScope &operator=(const PrintVersionScope &) = delete;

private:
  TTVersion outer;
};

/// The version this thread prints for.
TTVersion getPrintVersion();

/// MLIR's parser calls itself for every bracket, and runs out of stack at some thousands. Modules that people or
/// programs write stay far below this.
constexpr unsigned maxNesting = 1000;

/// What MLIR's parser would not survive, and where in the text it is.
struct TextFault {
  size_t position;
  std::string message;
};

/// Looks for brackets of any kind that are nested deeper than `maxNesting`, and for arrays of `index`. Text is asked
/// before it is parsed, whoever parses it.
std::optional<TextFault> findTextFault(llvm::StringRef text);

/// Prints `op` as Triton of `version` reads it. Ops that the version does not have are printed as they are. With
/// `locations`, each op says its file, line and column, and the calls that were inlined: all that Triton's messages and
/// line tables quote.
void printForTriton(mlir::Operation *op, TTVersion version, llvm::raw_ostream &out, bool locations = false);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_TRITONTEXT_H
