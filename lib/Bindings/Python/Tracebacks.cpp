//===- Tracebacks.cpp - Tracebacks of errors that leave the package -----------------------------------------------===//

#include "Tracebacks.h"

#include "Guarded.h"

using namespace blockdsl::python;

/// Calls `blockdsl.tracebacks.trim(error, handled)`. In C++ the exception being handled is the caller's. Keeps an error
/// of the process set, such as KeyboardInterrupt.
static void callTrim(PyObject *error) {
  PyObject *type, *handled, *handledTrace;
  PyErr_GetExcInfo(&type, &handled, &handledTrace);
  if (PyObject *module = PyImport_ImportModule("blockdsl.tracebacks")) {
    Py_XDECREF(PyObject_CallMethod(module, "trim", "OO", error, handled ? handled : Py_None));
    Py_DECREF(module);
  }
  // Other errors here are less important than the one being raised.
  clearError();
  Py_XDECREF(type);
  Py_XDECREF(handled);
  Py_XDECREF(handledTrace);
}

void blockdsl::python::trimTraceback() {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (!error) {
    PyErr_Restore(type, error, trace);
    return;
  }
  if (trace)
    PyException_SetTraceback(error, trace);
  Py_XDECREF(trace);
  callTrim(error);
  if (PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(error);
    return;
  }
  PyErr_Restore(type, error, PyException_GetTraceback(error));
}
