//===- Tracebacks.h - Tracebacks of errors that leave the package -------------------------------------------------===//
//
// Applied where a user's program calls C++ functions of the package. blockdsl/tracebacks.py has the rule and applies it
// to Python functions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Removes the package's frames from the traceback of the current exception.
void trimTraceback();

/// Returns the result of a call to the user's program, after trimming the traceback if the call has failed.
inline PyObject *leave(PyObject *result) {
  if (!result)
    trimTraceback();
  return result;
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H
