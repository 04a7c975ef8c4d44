//===- LaunchDtypes.h - Element types of arguments ----------------------------------------------------------------===//
//
// Conversion from DLPack's codes, buffer formats and the type names of libraries.
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

/// Element types, with the numbers of the attributes of tensors.
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

/// Names of element types in a Specialization, by their numbers.
extern const char *const kDtypeNames[];
extern const int kDtypeCount;

Dtype dtypeOf(dlpack::DataType type);

/// Returns the element type of a buffer from its format, a letter of the struct module, and its element size.
Dtype dtypeOf(const char *format, Py_ssize_t size);

/// Returns the element type with a name of torch, NumPy or the language, such as `torch.float32` or
/// `<class 'numpy.float32'>`, of which the last word counts.
Dtype dtypeNamed(std::string_view text);

/// Returns the size of an element in bytes.
int64_t sizeOf(Dtype dtype);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHDTYPES_H
