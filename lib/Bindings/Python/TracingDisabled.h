//===- TracingDisabled.h - Calls of Python code that torch's Dynamo does not trace --------------------------------===//
//
// While a compiled function runs, Dynamo traces and compiles every Python frame. If that function launches outside of a
// graph, Dynamo would compile this package's compiler, one function at a time.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_TRACINGDISABLED_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_TRACINGDISABLED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Disables Dynamo's tracing on this thread in a scope.
class TracingDisabled {
public:
  TracingDisabled();
  TracingDisabled(const TracingDisabled &) = delete;
  TracingDisabled &operator=(const TracingDisabled &) = delete;
  ~TracingDisabled();

private:
  PyObject *setCallback = nullptr, *before = nullptr;
};

/// Implements `untraced(function, *args, **kwargs)`.
PyObject *callWithTracingDisabled(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_TRACINGDISABLED_H
