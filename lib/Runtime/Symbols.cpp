//===- Symbols.cpp - Functions that compiled kernels may call -----------------------------------------------------===//

#include "blockdsl/Runtime/FloatConversions.h"
#include "blockdsl/Runtime/LaunchContext.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <string_view>

using namespace blockdsl::runtime;

namespace {

struct Symbol {
  std::string_view name;
  void *address;
};

template <typename Function> void *address(Function *function) { return reinterpret_cast<void *>(function); }

void *const kFloatToHalf = address(truncateFloatToHalf);
void *const kHalfToFloat = address(extendHalfToFloat);

const Symbol kOwnSymbols[] = {
    {"__extendhfsf2", kHalfToFloat},
    {"__gnu_f2h_ieee", kFloatToHalf},
    {"__gnu_h2f_ieee", kHalfToFloat},
    {"__truncdfhf2", address(truncateDoubleToHalf)},
    {"__truncsfhf2", kFloatToHalf},
    {"blockdsl_assert_failed", address(blockdsl_assert_failed)},
    {"blockdsl_nanoseconds", address(blockdsl_nanoseconds)},
    {"blockdsl_print", address(blockdsl_print)},
    {"blockdsl_processor", address(blockdsl_processor)},
    {"blockdsl_processor_count", address(blockdsl_processor_count)},
    {"blockdsl_should_stop", address(blockdsl_should_stop)},
    {"blockdsl_wait", address(blockdsl_wait)},
    // LLVM creates calls of these from loops. The casts select the functions instead of clang's builtins.
    {"memcpy", address(static_cast<void *(*)(void *, const void *, size_t)>(std::memcpy))},
    {"memmove", address(static_cast<void *(*)(void *, const void *, size_t)>(std::memmove))},
    {"memset", address(static_cast<void *(*)(void *, int, size_t)>(std::memset))},
};

/// Functions of libm that kernels may call. Listed by name, so that no allocator or side effect is reachable.
// clang-format off
constexpr std::string_view kMathFunctions[] = {
    "acos",  "acosh", "asin",  "asinh", "atan",   "atan2", "atanh", "cbrt",      "ceil",      "copysign", "cos",
    "cosh",  "erf",   "erfc",  "exp",   "exp10",  "exp2",  "expm1", "fabs",      "fdim",      "floor",    "fma",
    "fmax",  "fmin",  "fmod",  "frexp", "hypot",  "ilogb", "j0",    "j1",        "jn",        "ldexp",    "lgamma",
    "llrint", "llround", "log", "log10", "log1p",  "log2",  "logb",  "lrint",     "lround",    "nearbyint", "nextafter",
    "pow",   "remainder", "rint", "round", "roundeven", "scalbn", "sin", "sincos", "sinh",    "sqrt",     "tan",
    "tanh",  "tgamma", "trunc", "y0",   "y1",     "yn",
};
// clang-format on

/// Prefix of a libm function's name if the kernel itself has that name.
constexpr std::string_view kMathPrefix = "blockdsl_libm_";

bool isMathFunction(std::string_view name) {
  auto isKnown = [](std::string_view candidate) {
    return std::find(std::begin(kMathFunctions), std::end(kMathFunctions), candidate) != std::end(kMathFunctions);
  };
  return isKnown(name) || (!name.empty() && name.back() == 'f' && isKnown(name.substr(0, name.size() - 1)));
}

} // namespace

void *blockdsl::runtime::lookupKernelSymbol(const char *name) {
  for (const Symbol &symbol : kOwnSymbols)
    if (symbol.name == name)
      return symbol.address;
  if (std::string_view(name).substr(0, kMathPrefix.size()) == kMathPrefix)
    name += kMathPrefix.size();
  if (!isMathFunction(name))
    return nullptr;
  // Python always loads libm. RTLD_DEFAULT would allow any library in the process to replace its functions.
  static void *const libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return dlsym(libm ? libm : RTLD_DEFAULT, name);
}

std::vector<std::string> blockdsl::runtime::kernelSymbolNames() {
  std::vector<std::string> names;
  for (const Symbol &symbol : kOwnSymbols)
    names.emplace_back(symbol.name);
  for (std::string_view function : kMathFunctions)
    for (const char *suffix : {"", "f"})
      for (std::string_view prefix : {std::string_view(), kMathPrefix})
        names.push_back(std::string(prefix) + std::string(function) + suffix);
  return names;
}
