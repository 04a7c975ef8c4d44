//===- TracingDisabled.cpp - Calls of Python code that torch's Dynamo does not trace ------------------------------===//

#include "TracingDisabled.h"

#include "Tracebacks.h"

using namespace blockdsl::python;

/// Returns torch's function that replaces the frame callback and returns the previous one; null until torch is loaded.
static PyObject *findSetCallback() {
  static PyObject *found = nullptr;
  PyObject *dynamo = found ? nullptr : PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C._dynamo.eval_frame");
  if (dynamo)
    found = PyObject_GetAttrString(dynamo, "set_eval_frame");
  return found;
}

TracingDisabled::TracingDisabled() : setCallback(findSetCallback()) {
  before = setCallback ? PyObject_CallFunctionObjArgs(setCallback, Py_None, nullptr) : nullptr;
  if (!before)
    PyErr_Clear(); // An unknown version of torch.
}

TracingDisabled::~TracingDisabled() {
  if (before && before != Py_None) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(PyObject_CallFunctionObjArgs(setCallback, before, nullptr));
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(before);
}

PyObject *blockdsl::python::callWithTracingDisabled(PyObject *, PyObject *const *args, Py_ssize_t count,
                                                    PyObject *keywords) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "untraced takes a function, and its arguments");
    return nullptr;
  }
  TracingDisabled tracingDisabled;
  return leave(PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), keywords));
}
