//===- LaunchKernel.h - A compiled kernel, as the launcher sees it ------------------------------------------------===//
//
// The Python type `_runtime.Kernel`: machine code, how its arguments are packed, and what is known of its cost.
// `CompiledKernel` in Python derives from it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H

#include "LaunchArguments.h"

#include "blockdsl/Runtime/ObjectCode.h"
#include "blockdsl/Runtime/ParallelFor.h"

#include <memory>
#include <vector>

namespace blockdsl::python {

/// How a parameter's value is put into its 8-byte slot.
enum class Encoding : uint8_t { Bits, Float16, BFloat16, Float32, Float64 };

struct Slot {
  uint16_t parameter;
  Encoding encoding;
};

struct KernelState {
  std::unique_ptr<runtime::ObjectCode> code;
  runtime::KernelFunction function = nullptr;
  std::vector<Slot> slots;
  /// Parameters the kernel stores through, in increasing order.
  std::vector<uint16_t> written;
  size_t scratchBytes = 0;
  runtime::CostEstimate cost;
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

/// The type `Kernel`, made once a process; null with an exception set on failure.
PyTypeObject *kernelType();

/// The bits of a slot.
uint64_t encode(Encoding encoding, const Argument &argument);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHKERNEL_H
