//===- LaunchMemory.h - Checks for tensors without memory ---------------------------------------------------------===//
//
// Tensors that stand for others while a program is traced, wrappers, and those whose storage was freed have an address
// like any other: 0, or their offset into a storage at 0. Nothing here knows of torch.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H

#include <cstdint>

namespace blockdsl::python {

/// Below this lies nothing, neither of a process nor of a GPU: programs that are not relocatable begin here.
constexpr uint64_t kNothingBelow = 4 << 20;

/// Where the process's memory begins; found when the extension is loaded.
extern const uint64_t lowestMapped;

/// Whether the process has memory at an address; takes a call of the system.
bool isMapped(uint64_t address);

/// Whether the process has no memory at an address.
inline bool isNowhere(uint64_t address) {
  return __builtin_expect(address < lowestMapped, false) && (address < kNothingBelow || !isMapped(address));
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
