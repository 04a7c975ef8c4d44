//===- TileRegisters.cpp - Permission to use the tile registers of AMX --------------------------------------------===//

#include "blockdsl/Runtime/TileRegisters.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

bool blockdsl::runtime::requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
  // From asm/prctl.h, which lacks these names on older systems.
  constexpr long kRequestComponent = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;             // XFEATURE_XTILEDATA
  static const bool allowed = syscall(SYS_arch_prctl, kRequestComponent, kTileData) == 0;
  return allowed;
#else
  return false;
#endif
}
