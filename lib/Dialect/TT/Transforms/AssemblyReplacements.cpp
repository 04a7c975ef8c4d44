//===- AssemblyReplacements.cpp - Replacements of unsupported PTX ---------===//
// Functions of the language that do on a CPU what an unsupported instruction or special register does on a GPU.
//===----------------------------------------------------------------------===//
#include "Assembly.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace blockdsl;

namespace {
/// A pattern of opcodes or registers, and functions that replace them. The first match counts. ptx_replacements.py has
/// the same table.
struct Replacement {
  const char *pattern, *functions;
};
constexpr Replacement replacements[] = {
    {"ld\\..*(acquire|relaxed).*", "tl.atomic_load, or tl.atomic_add of 0"},
    {"(ld|ldu|ldmatrix|cp)\\..*", "tl.load"},
    {"st\\..*(release|relaxed).*", "tl.atomic_store, or tl.atomic_xchg"},
    {"(st|stmatrix)\\..*", "tl.store"},
    {"(atom|red)(\\..*)?\\.add(\\..*)?", "tl.atomic_add"},
    {"(atom|red)(\\..*)?\\.and(\\..*)?", "tl.atomic_and"},
    {"(atom|red)(\\..*)?\\.or(\\..*)?", "tl.atomic_or"},
    {"(atom|red)(\\..*)?\\.xor(\\..*)?", "tl.atomic_xor"},
    {"(atom|red)(\\..*)?\\.min(\\..*)?", "tl.atomic_min"},
    {"(atom|red)(\\..*)?\\.max(\\..*)?", "tl.atomic_max"},
    {"atom(\\..*)?\\.exch(\\..*)?", "tl.atomic_xchg"},
    {"(atom|red)\\..*", "tl.atomic_cas"},
    {"(mma|wmma|wgmma|tcgen05)\\..*", "tl.dot"},
    {"(shfl|vote|match|redux|activemask|elect)(\\..*)?|(bar|barrier)(\\.cta)?\\.red\\..*",
     "tl.reduce, tl.associative_scan and tl.gather"},
    {"%(tid|ntid|laneid|warpid|nwarpid|lanemask_).*", "tl.arange"},
};
} // namespace

StringRef blockdsl::findReplacement(StringRef name) {
  for (const Replacement &replacement : replacements)
    if (llvm::Regex("^(" + std::string(replacement.pattern) + ")$").match(name))
      return replacement.functions;
  return "";
}
