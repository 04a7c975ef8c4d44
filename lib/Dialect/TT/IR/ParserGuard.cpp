//===- ParserGuard.cpp - Detection of text that crashes MLIR's parser -----===//
// The tool, the bindings and the language server all call parseAsmSourceFile. The linker redirects these calls to this
// file (--wrap, in BlockdslTargets.cmake), so that no caller can skip the check.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace blockdsl;

/// Returns the end of the token at `at`. Strings, comments, arrows and white space are one token each.
static size_t endOfToken(StringRef text, size_t at) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; };
  StringRef rest = text.substr(at);
  size_t length = 1;
  if (rest.front() == '"') {
    // A string ends at the first quote that is not escaped, or with its line.
    while (length < rest.size() && rest[length] != '"' && rest[length] != '\n')
      length += rest[length] == '\\' ? 2 : 1;
    ++length;
  } else if (rest.starts_with("//")) {
    length = rest.find('\n');
  } else if (rest.starts_with("->")) {
    length = 2;
  } else if (isWord(rest.front())) {
    length = rest.find_if_not(isWord);
  } else if (llvm::isSpace(rest.front())) {
    length = rest.find_if_not(llvm::isSpace);
  }
  return length >= rest.size() ? text.size() : at + length;
}

namespace {

/// Finds elements of `iterator_types` that are no strings. The custom parser of `linalg.generic` casts each element to
/// a string without a check; that of properties, in `<{...}>`, checks them.
class IteratorTypeGuard {
public:
  /// Returns true if `token` is one of these elements. `lastButOne` and `last` are the tokens before it.
  bool isFault(StringRef token, StringRef last, StringRef lastButOne) {
    if (token == "{")
      isProperties = last == "<";
    if (token == "[" && last == "=" && lastButOne.trim('"') == "iterator_types" && !isProperties) {
      isInside = true;
      return false;
    }
    if (token == "]")
      isInside = false;
    return isInside && token != "," && token.front() != '"';
  }

private:
  bool isProperties = false, isInside = false;
};

} // namespace

std::optional<TextFault> blockdsl::findTextFault(StringRef text) {
  unsigned depth = 0;
  StringRef last, lastButOne;
  IteratorTypeGuard iteratorTypes;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = endOfToken(text, at);
    StringRef token = text.slice(at, end);
    if (llvm::isSpace(token.front()) || token.starts_with("//"))
      continue;
    if (StringRef("([{<").contains(token.front()) && ++depth > maxNesting)
      return TextFault{at, ("brackets nest deeper than " + Twine(maxNesting)).str()};
    if (StringRef(")]}>").contains(token.front()) && depth > 0)
      --depth;
    // MLIR 22 computes the width of the elements of an array, which an index does not have.
    if (token == "index" && last == "<" && lastButOne == "array")
      return TextFault{at, "an array attribute of 'index' is not supported; expects integers or floats"};
    if (iteratorTypes.isFault(token, last, lastButOne))
      return TextFault{at, "an iterator type of 'linalg.generic' is a string; expects \"parallel\" or \"reduction\""};
    lastButOne = std::exchange(last, token);
  }
  return std::nullopt;
}

#define PARSE                                                                                                          \
  "_ZN4mlir18parseAsmSourceFileERKN4llvm9SourceMgrEPNS_5BlockERKNS_12ParserConfigEPNS_14AsmParserStateE"               \
  "PNS_28AsmParserCodeCompleteContextE"

LogicalResult parseUnguarded(const llvm::SourceMgr &, Block *, const ParserConfig &, AsmParserState *,
                             AsmParserCodeCompleteContext *) asm("__real_" PARSE);
LLVM_ATTRIBUTE_USED LogicalResult parseGuarded(const llvm::SourceMgr &, Block *, const ParserConfig &, AsmParserState *,
                                               AsmParserCodeCompleteContext *) asm("__wrap_" PARSE);

LogicalResult parseGuarded(const llvm::SourceMgr &manager, Block *block, const ParserConfig &config,
                           AsmParserState *state, AsmParserCodeCompleteContext *completion) {
  unsigned file = manager.getMainFileID();
  const llvm::MemoryBuffer *buffer = manager.getMemoryBuffer(file);
  if (std::optional<TextFault> fault = findTextFault(buffer->getBuffer())) {
    SMLoc at = SMLoc::getFromPointer(buffer->getBufferStart() + fault->position);
    auto [line, column] = manager.getLineAndColumn(at, file);
    return emitError(FileLineColLoc::get(config.getContext(), buffer->getBufferIdentifier(), line, column))
           << fault->message;
  }
  return parseUnguarded(manager, block, config, state, completion);
}
