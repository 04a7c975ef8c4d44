//===- LaunchMemory.cpp - Checks for tensors without memory -------------------------------------------------------===//

#include "LaunchMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace blockdsl::python;

/// Reads the first line of Linux's sorted list of mappings. Memory mapped below it later costs a system call per
/// launch.
static uint64_t findLowestMapped() {
  unsigned long long first = 0;
  if (std::FILE *maps = std::fopen("/proc/self/maps", "r")) {
    if (std::fscanf(maps, "%llx", &first) != 1)
      first = 0;
    std::fclose(maps);
  }
  return std::max<uint64_t>(first, kNothingBelow);
}

const uint64_t blockdsl::python::lowestMapped = findLowestMapped();

bool blockdsl::python::isMapped(uint64_t address) {
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char isResident;
  return mincore(reinterpret_cast<void *>(address / page * page), 1, &isResident) == 0 || errno != ENOMEM;
}
