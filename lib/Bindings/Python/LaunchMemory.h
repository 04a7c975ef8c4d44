//===- LaunchMemory.h - Checks for tensors without memory ---------------------------------------------------------===//
//
// Fake tensors of traced programs, wrappers, and tensors whose storage was freed have an address too: 0, or an offset
// in a storage at 0. Independent of torch.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H

#include <cstdint>

namespace blockdsl::python {

/// Lowest address of memory, of a process or a GPU: the load address of programs that are not relocatable.
constexpr uint64_t kNothingBelow = 4 << 20;

/// Lowest mapped address of the process when the extension was loaded.
extern const uint64_t lowestMapped;

/// Returns true if an address is mapped, by a system call.
bool isMapped(uint64_t address);

/// Returns true if an address is not mapped.
inline bool isNowhere(uint64_t address) {
  return __builtin_expect(address < lowestMapped, false) && (address < kNothingBelow || !isMapped(address));
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
