//===- LaunchDtypes.h - Element types of what a launch is given ---------------------------------------------------===//
//
// DLPack, buffers and libraries each name them in their own way.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDTYPES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDTYPES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "DLPack.h"

#include <cstdint>
#include <string_view>

namespace blockdsl::python {

/// The number is the one in a tensor's attributes.
enum Dtype : int {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E5,
  F8E4NV,
  F8E4B8,
  F8E5B16,
  F8E4B15,
  Unsupported = -1
};

/// Names of element types, as the Specialization spells them; a tensor's attributes hold the index.
extern const char *const kDtypeNames[];
extern const int kDtypeCount;

Dtype dtypeOf(dlpack::DataType type);

/// The element type of a buffer: its format is a letter of the struct module, its size decides the width.
Dtype dtypeOf(const char *format, Py_ssize_t size);

/// An element type by its name in torch, NumPy or the language: of `torch.float32` and `<class 'numpy.float32'>` the
/// last word counts.
Dtype dtypeNamed(std::string_view text);

/// The bytes of one element.
int64_t sizeOf(Dtype dtype);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDTYPES_H
