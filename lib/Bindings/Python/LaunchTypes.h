//===- LaunchTypes.h - How objects of a Python type are read ------------------------------------------------------===//
//
// How an argument is read depends on its type alone, so the way is found once a type: torch tensors and their like over
// DLPack's C exchange table (no Python object is made), NumPy arrays and other memory over the buffer protocol, the
// rest of the world over a DLPack capsule, and what has but an address over its methods `data_ptr` and `dtype`. What
// only stands for a tensor while torch traces, and torch's parameters without a shape yet, are not read at all.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H

#include "DLPack.h"
#include "LaunchArguments.h"

namespace blockdsl::python {

enum class Way {
  Exchange,
  NumPyScalar,
  Buffer,
  Capsule,
  Pointer,
  Index,
  Constant,
  Tuple,
  Masked,
  Traced,
  Lazy,
  Refused
};

struct KnownType {
  PyTypeObject *type;
  Way way;
  /// DLPack's table of C functions; null for all ways but the first, and what is traced.
  const dlpack::ExchangeAPI *exchange;
  /// Whether objects are torch's tensors, of which TorchTensor.h knows more.
  bool isTorch;
};

const KnownType &knownType(PyTypeObject *type);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H
