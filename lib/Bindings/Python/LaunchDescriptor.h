//===- LaunchDescriptor.h - Reads tensor descriptors --------------------------------------------------------------===//
//
// An argument that describes a strided array in memory: blockdsl's TensorDescriptor, Triton's, or any object with their
// attributes.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H

#include "LaunchArguments.h"

namespace blockdsl::python {

struct Descriptor {
  static constexpr size_t kMaxRank = 5;

  /// Alive as long as the launch.
  PyObject *base;
  /// The bytes that the base spans, as Argument has them.
  uint64_t begin, end;
  size_t rank;
  /// Extents and strides of the array in elements, and the extents of a block.
  int64_t shape[kMaxRank], strides[kMaxRank], block[kMaxRank];
  bool isPaddedWithNaN;
  /// Loads on a GPU may round floats of 32 bits.
  bool isRounded;
};

/// Reads a descriptor; `Type` for objects that are none.
Refusal readDescriptor(PyObject *object, Argument &argument, Borrowed &borrowed);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H
