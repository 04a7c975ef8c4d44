//===- LaunchMemory.h - Whether there is memory behind a tensor ---------------------------------------------------===//
//
// Tensors that stand for others while a program is traced, wrappers, and those whose storage was freed have an address
// like any other: 0, or their offset into a storage at 0. Nothing here knows of torch.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H

#include "DLPack.h"

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

/// Whether elements are every second number of their kind.
bool isEverySecond(const dlpack::Tensor &tensor);

/// Whether a tensor may be the imaginary part of a block of complex numbers, of which torch says beside the elements
/// that they are negated. Such a part begins at the second of two numbers.
inline bool mayBeNegated(const dlpack::Tensor &tensor, uint64_t address) {
  return __builtin_expect((address & tensor.dtype.bits / 8) != 0, false) && isEverySecond(tensor);
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHMEMORY_H
