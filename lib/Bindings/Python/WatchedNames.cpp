//===- WatchedNames.cpp - Names that must mean what they did ------------------------------------------------------===//

#include "WatchedNames.h"

using namespace blockdsl::python;

enum Part : Py_ssize_t { Namespace, Name, Value, Count };

static bool isTriple(PyObject *each) {
  return PyTuple_Check(each) && PyTuple_GET_SIZE(each) == Count && PyDict_Check(PyTuple_GET_ITEM(each, Namespace)) &&
         PyUnicode_Check(PyTuple_GET_ITEM(each, Name));
}

bool blockdsl::python::areWatchedNames(PyObject *names) {
  if (!PyTuple_Check(names)) {
    PyErr_Format(PyExc_TypeError, "watched names are a tuple of (namespace, name, value), got %R", names);
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
    if (PyObject *each = PyTuple_GET_ITEM(names, i); !isTriple(each)) {
      PyErr_Format(PyExc_TypeError, "a watched name is a tuple of a dict, a str and a value, got %R", each);
      return false;
    }
  return true;
}

bool blockdsl::python::areUnchanged(PyObject *names) {
  for (Py_ssize_t i = 0, count = names ? PyTuple_GET_SIZE(names) : 0; i < count; ++i) {
    PyObject *each = PyTuple_GET_ITEM(names, i);
    if (PyDict_GetItemWithError(PyTuple_GET_ITEM(each, Namespace), PyTuple_GET_ITEM(each, Name)) !=
        PyTuple_GET_ITEM(each, Value)) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}
