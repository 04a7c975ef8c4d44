//===- Tracebacks.h - Tracebacks of errors that leave the package -------------------------------------------------===//
//
// The border between a user's program and the package where the callee is C++; blockdsl/tracebacks.py has the rule, and
// the border where the callee is Python.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Removes the package's frames from the traceback of the exception that is set.
void trimTraceback();

/// Returns the result of a call to the user's program; if the call has failed, trims the traceback first.
inline PyObject *leave(PyObject *result) {
  if (!result)
    trimTraceback();
  return result;
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_TRACEBACKS_H
