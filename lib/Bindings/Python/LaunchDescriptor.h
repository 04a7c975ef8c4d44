//===- LaunchDescriptor.h - Conversion of tensor descriptors ------------------------------------------------------===//
//
// A descriptor describes a strided array in memory. It is blockdsl's TensorDescriptor, Triton's, or any object with the
// same attributes.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H

#include "LaunchArguments.h"

namespace blockdsl::python {

struct Descriptor {
  static constexpr size_t kMaxRank = 5;

  /// Alive until the launch has ended.
  PyObject *base;
  /// The bytes that the base spans, as in Argument.
  uint64_t begin, end;
  size_t rank;
  /// Extents and strides of the array in elements, and the extents of a block.
  int64_t shape[kMaxRank], strides[kMaxRank], block[kMaxRank];
  bool isPaddedWithNaN;
  /// Whether loads on a GPU round 32-bit floats.
  bool isRounded;
};

/// Converts a descriptor. Returns `Type` for any other object.
Refusal readDescriptor(PyObject *object, Argument &argument, Borrowed &borrowed);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDESCRIPTOR_H
