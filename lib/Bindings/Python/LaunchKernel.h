//===- LaunchKernel.h - Common part of compiled kernels -----------------------------------------------------------===//
//
// Base of kernels for the CPU (`_runtime.Kernel`, LaunchCPU.cpp) and for GPUs (`_runtime.CUDAKernel`, LaunchCUDA.cpp):
// their arguments, and running over a grid. `CompiledKernel` in Python derives from either.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H

#include "LaunchArguments.h"

#include <memory>
#include <vector>

namespace blockdsl::python {

struct LaunchRequest;

/// Encoding of a parameter's value in an 8-byte slot. A descriptor has several slots: its base as bits, and its fields.
enum class Encoding : uint8_t {
  Bits,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Extent,
  Stride,
  /// The array's description for the hardware of a GPU, as large as 16 slots.
  TensorMap,
  IsPaddedWithNaN,
  IsRounded,
};

struct Slot {
  uint16_t parameter;
  Encoding encoding;
  /// The dimension of an extent or a stride.
  uint8_t dimension;
};

struct KernelState {
  virtual ~KernelState() = default;
  /// Returns true if this is code for a device: kCPU or the number of a GPU.
  virtual bool isFor(int device) const = 0;
  /// Runs all programs of a launch, or queues them on a GPU. `self` is the kernel's Python object. Returns false with
  /// an exception set on failure.
  virtual bool run(LaunchRequest &request, PyObject *self) = 0;

  std::vector<Slot> slots;
  /// Parameters to which the kernel stores, in increasing order. Not set for GPUs.
  std::vector<uint16_t> written;
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

/// Return the types, created once per process; null with an exception set on failure. The first is the base of the
/// others.
PyTypeObject *anyKernelType();
PyTypeObject *kernelType();
PyTypeObject *cudaKernelType();

/// Reads (parameter, encoding) pairs. A dimension follows its encoding, as in "e0". Returns false with an exception set
/// if they are invalid.
bool parseSlots(PyObject *sequence, std::vector<Slot> &slots);

/// Sets the kernel of a new Python object. Returns -1 with an exception set if it has one already.
int adopt(PyObject *self, std::unique_ptr<KernelState> state);

/// Returns the bits of a slot.
uint64_t encode(Slot slot, const Argument &argument);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
