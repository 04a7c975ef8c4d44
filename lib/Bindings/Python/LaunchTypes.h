//===- LaunchTypes.h - Conversion methods by Python type ----------------------------------------------------------===//
//
// The method depends on the type only and is determined once per type: DLPack's C exchange table for torch tensors and
// others (without Python objects), the buffer protocol for NumPy arrays and other memory, a DLPack capsule for other
// libraries, and the methods `data_ptr` and `dtype` for objects with an address only. Fake tensors of torch's tracing
// and parameters of torch without a shape are not converted.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H

#include "DLPack.h"
#include "LaunchArguments.h"

namespace blockdsl::python {

/// The interface through which a launch reads an argument of a type.
enum class Protocol {
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
  Protocol protocol;
  /// DLPack's table of C functions, for `Exchange` and some fake tensors; else null.
  const dlpack::ExchangeAPI *exchange;
  /// Whether objects are torch's tensors, which have further fields (TorchTensor.h).
  bool isTorch;
};

const KnownType &knownType(PyTypeObject *type);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHTYPES_H
