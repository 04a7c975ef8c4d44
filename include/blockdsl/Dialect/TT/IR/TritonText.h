//===- TritonText.h - Text for Triton's versions ----------------*- C++ -*-===//
// The Triton version that text is printed for. The parser accepts the spellings of all versions.
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

/// Parses "3.6" to "3.9".
std::optional<TTVersion> parseTTVersion(llvm::StringRef text);
/// The same for the option of a pass. Emits an error at `op`.
std::optional<TTVersion> parseTTVersion(llvm::StringRef text, mlir::Operation *op);

/// Makes this thread print text for `version` during its lifetime. By default text is for the newest version.
class PrintVersionScope {
public:
  explicit PrintVersionScope(TTVersion version);
  ~PrintVersionScope();
  PrintVersionScope(const PrintVersionScope &) = delete;
  PrintVersionScope &operator=(const PrintVersionScope &) = delete;

private:
  TTVersion outer;
};

/// Returns the version that this thread prints for.
TTVersion getPrintVersion();

/// MLIR's parser recurses at every bracket, and overflows its stack at some thousands. Real modules stay far below this
/// bound.
constexpr unsigned maxNesting = 1000;

/// A part of a text that would crash MLIR's parser, and its position.
struct TextFault {
  size_t position;
  std::string message;
};

/// Finds text that would crash MLIR's parser: brackets nested deeper than `maxNesting`, arrays of `index`, and iterator
/// types that are no strings. Every text is checked before it is parsed.
std::optional<TextFault> findTextFault(llvm::StringRef text);

/// Prints `op` for a version of Triton. Ops that the version lacks are printed unchanged. With `locations`, each op has
/// its file, line, column and inlined calls, which Triton uses in messages and line tables.
void printForTriton(mlir::Operation *op, TTVersion version, llvm::raw_ostream &out, bool locations = false);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_TRITONTEXT_H
