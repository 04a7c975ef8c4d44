//===- Untraced.cpp - Python that torch's Dynamo does not look at -------------------------------------------------===//

#include "Untraced.h"

#include "Tracebacks.h"

using namespace blockdsl::python;

/// torch's function that sets whom frames are shown to, and gives whom they were; null until torch is loaded.
static PyObject *findShow() {
  static PyObject *found = nullptr;
  PyObject *dynamo = found ? nullptr : PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C._dynamo.eval_frame");
  if (dynamo)
    found = PyObject_GetAttrString(dynamo, "set_eval_frame");
  return found;
}

Untraced::Untraced() : show(findShow()) {
  before = show ? PyObject_CallFunctionObjArgs(show, Py_None, nullptr) : nullptr;
  if (!before)
    PyErr_Clear(); // Another torch than those that we know.
}

Untraced::~Untraced() {
  if (before && before != Py_None) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(PyObject_CallFunctionObjArgs(show, before, nullptr));
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(before);
}

PyObject *blockdsl::python::callUntraced(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "untraced takes a function, and its arguments");
    return nullptr;
  }
  Untraced untraced;
  return leave(PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), keywords));
}
