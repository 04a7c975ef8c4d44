//===- OlderGlibc.cpp - Symbols that glibc 2.28 lacks -----------------------------------------------------------===//
// LLVM's archives are compiled with a newer glibc than the one that wheels are linked against (tools/glibc_stubs.py).
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <sys/random.h>

extern "C" {

/// Since 2.32. libstdc++ counts references without atomic instructions while a process has one thread; false is always
/// right.
[[gnu::visibility("hidden")]] char __libc_single_threaded = false;

/// Since 2.36. LLVM names temporary files by it.
[[gnu::visibility("hidden")]] uint32_t arc4random() {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    ;
  return number;
}
}
