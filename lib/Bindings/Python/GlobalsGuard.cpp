//===- GlobalsGuard.cpp - Guards on the values of global names ----------------------------------------------------===//

#include "GlobalsGuard.h"

using namespace blockdsl::python;

enum Part : Py_ssize_t { Namespace, Name, Value, Count };

static bool isTriple(PyObject *each) {
  return PyTuple_Check(each) && PyTuple_GET_SIZE(each) == Count && PyDict_Check(PyTuple_GET_ITEM(each, Namespace)) &&
         PyUnicode_Check(PyTuple_GET_ITEM(each, Name));
}

bool blockdsl::python::isGlobalsGuard(PyObject *object) {
  if (!PyTuple_Check(object)) {
    PyErr_Format(PyExc_TypeError, "a globals guard is a tuple of (namespace, name, value), got %R", object);
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
    if (PyObject *each = PyTuple_GET_ITEM(object, i); !isTriple(each)) {
      PyErr_Format(PyExc_TypeError, "a globals guard has tuples of a dict, a str and a value, got %R", each);
      return false;
    }
  return true;
}

bool blockdsl::python::areGlobalsUnchanged(PyObject *guard) {
  for (Py_ssize_t i = 0, count = guard ? PyTuple_GET_SIZE(guard) : 0; i < count; ++i) {
    PyObject *each = PyTuple_GET_ITEM(guard, i);
    if (PyDict_GetItemWithError(PyTuple_GET_ITEM(each, Namespace), PyTuple_GET_ITEM(each, Name)) !=
        PyTuple_GET_ITEM(each, Value)) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}
