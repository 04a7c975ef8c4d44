//===- LaunchKernel.h - A compiled kernel, as the launcher sees it ------------------------------------------------===//
//
// What kernels for the CPU (`_runtime.Kernel`, LaunchCPU.cpp) and for GPUs (`_runtime.CUDAKernel`, LaunchCUDA.cpp) have
// in common: which arguments they take, and that they run over a grid. `CompiledKernel` in Python derives from either.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H

#include "LaunchArguments.h"

#include <memory>
#include <vector>

namespace blockdsl::python {

struct LaunchRequest;

/// How a parameter's value is put into its 8-byte slot. A descriptor takes several: its base as bits, and its parts.
enum class Encoding : uint8_t {
  Bits,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Extent,
  Stride,
  /// What a GPU's hardware is told of the array: as large as 16 slots.
  TensorMap,
  IsPaddedWithNaN,
  IsRounded,
};

struct Slot {
  uint16_t parameter;
  Encoding encoding;
  /// Of an extent or a stride.
  uint8_t dimension;
};

struct KernelState {
  virtual ~KernelState() = default;
  /// Whether this is code for a device: kCPU or the number of a GPU.
  virtual bool isFor(int device) const = 0;
  /// Runs all programs of a call, or has the call's device run them; `self` is the kernel's Python object. False with
  /// an exception set on failure.
  virtual bool run(LaunchRequest &request, PyObject *self) = 0;

  std::vector<Slot> slots;
  /// Parameters the kernel stores through, in increasing order; none for a GPU, where nobody asks.
  std::vector<uint16_t> written;
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

/// The types, made once a process; null with an exception set on failure. The first is the base of the others.
PyTypeObject *anyKernelType();
PyTypeObject *kernelType();
PyTypeObject *cudaKernelType();

/// Reads (parameter, encoding) pairs; a dimension follows its encoding, as in "e0". False with an exception set if they
/// are none.
bool parseSlots(PyObject *sequence, std::vector<Slot> &slots);

/// Gives a new Python object its kernel; -1 with an exception set if it has one already.
int adopt(PyObject *self, std::unique_ptr<KernelState> state);

/// The bits of a slot.
uint64_t encode(Slot slot, const Argument &argument);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
