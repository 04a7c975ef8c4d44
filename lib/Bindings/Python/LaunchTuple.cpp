//===- LaunchTuple.cpp - Tuples as arguments ----------------------------------------------------------------------===//
//
// Each element of a tuple, nested tuples included, is an argument. Elements are numbered by parameter and from left to
// right. The tuple's type is part of the key, because kernels can use the field names of a named tuple.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchRequest.h"

using namespace blockdsl::python;

/// Created when the module is loaded, so that no launch fails for lack of memory here.
static PyObject *const kValue = PyUnicode_InternFromString("value");

bool LaunchRequest::isTuple(size_t parameter) const {
  return state.parameters[parameter].role == Role::Runtime &&
         (arguments[parameter].attributes & attribute::kKindMask) == attribute::Tuple;
}

bool LaunchRequest::readTuple(PyObject *tuple, uint32_t attributeMask) {
  if (tupleCount++ == kMaxParameters)
    return refuse("too many elements", nullptr, nullptr);
  key[keySize++] = attribute::Tuple;
  key[keySize++] = reinterpret_cast<uint64_t>(Py_TYPE(tuple));
  key[keySize++] = static_cast<uint64_t>(PyTuple_GET_SIZE(tuple));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    if (PyTuple_Check(item)) {
      if (!readTuple(item, attributeMask))
        return false;
      continue;
    }
    if (elementCount == kMaxParameters)
      return refuse("too many elements", nullptr, nullptr);
    size_t index = kMaxParameters + elementCount++;
    values[index] = item;
    if (!readAt(index, attributeMask))
      return false;
  }
  return true;
}

/// Adds a constant argument to the key. For a constexpr object, which often exists for one launch only, adds its value.
bool LaunchRequest::readConstant(size_t index) {
  specializations[index] = attribute::Constexpr;
  if (OwnedRef value = findAttribute(values[index], kValue)) {
    values[index] = value.get();
    borrowed.objects.push_back(std::move(value));
  }
  addConstexpr(values[index]);
  return true;
}

/// Returns the attributes of a tuple's elements in a tuple of the same structure. `element` is the number of the first
/// one and is advanced.
PyObject *LaunchRequest::attributesOf(PyObject *tuple, size_t &element) const {
  PyObject *attributes = PyTuple_New(PyTuple_GET_SIZE(tuple));
  for (Py_ssize_t i = 0; attributes && i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    PyTuple_SET_ITEM(attributes, i,
                     PyTuple_Check(item) ? attributesOf(item, element)
                                         : PyLong_FromUnsignedLong(specializations[kMaxParameters + element++]));
  }
  return attributes;
}

/// Keeps the objects of a tuple alive whose addresses are in the key.
void LaunchRequest::keepAlive(Entry &entry, PyObject *tuple, size_t &element) const {
  entry.constexprs.push_back(OwnedRef(Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(tuple)))));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    if (PyTuple_Check(item)) {
      keepAlive(entry, item, element);
      continue;
    }
    size_t index = kMaxParameters + element++;
    if (arguments[index].attributes == attribute::Constexpr)
      entry.constexprs.push_back(OwnedRef(Py_NewRef(values[index])));
  }
}

/// Returns the name of an element of a tuple called `name`, as in "x[1][0]"; null if the tuple has too few elements,
/// whose number is then subtracted from `element`.
static PyObject *findElement(PyObject *tuple, PyObject *name, size_t &element) {
  PyObject *found = nullptr;
  for (Py_ssize_t i = 0; !found && i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject *item = PyTuple_GET_ITEM(tuple, i);
    PyObject *inner = PyUnicode_FromFormat("%U[%zd]", name, i);
    if (!inner)
      return nullptr;
    if (PyTuple_Check(item))
      found = findElement(item, inner, element);
    else if (element-- == 0)
      found = Py_NewRef(inner);
    Py_DECREF(inner);
  }
  return found;
}

/// Returns the name of a parameter, or of an element of its argument, as a new reference.
PyObject *LaunchRequest::argumentName(size_t argument) const {
  if (argument < kMaxParameters)
    return Py_NewRef(state.parameters[argument].name);
  size_t element = argument - kMaxParameters;
  PyObject *found = nullptr;
  // While arguments are converted, the element is found before those that are not converted yet.
  for (size_t i = 0; !found && i < state.positional; ++i)
    if (isTuple(i))
      found = findElement(values[i], state.parameters[i].name, element);
  return found;
}
