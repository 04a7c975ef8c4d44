//===- LaunchHooks.cpp - Hooks around launches --------------------------------------------------------------------===//
//
// Hooks are Python functions: the method `_pre_run` calls those of a kernel before each launch, and `_entering` and
// `_leaving` call those for all kernels around each launch. A launch without hooks checks two lengths and a pointer.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchDescriptor.h"
#include "LaunchRequest.h"
#include "TorchTensor.h"

#include <utility>

using namespace blockdsl::python;

namespace {

/// Python lists of the hooks that are called before and after each launch.
PyObject *entering = PyList_New(0), *leaving = PyList_New(0);

bool hasHooks() { return (PyList_GET_SIZE(entering) | PyList_GET_SIZE(leaving)) != 0; }

} // namespace

bool blockdsl::python::watchLaunches(PyObject *before, PyObject *after) {
  if (!PyList_Check(before) || !PyList_Check(after)) {
    PyErr_SetString(PyExc_TypeError, "watch_launches takes two lists");
    return false;
  }
  PyObject *oldEntering = std::exchange(entering, Py_NewRef(before));
  PyObject *oldLeaving = std::exchange(leaving, Py_NewRef(after));
  Py_XDECREF(oldEntering);
  Py_XDECREF(oldLeaving);
  return true;
}

/// Calls a method with the grid, or None, and the arguments of the launch.
PyObject *LaunchRequest::callAsGiven(const char *method, PyObject *grid, PyObject *const *args, size_t count,
                                     PyObject *keywords) {
  PyObject *positional = PyTuple_New(static_cast<Py_ssize_t>(count)), *named = PyDict_New();
  for (size_t i = 0; positional && i < count; ++i)
    PyTuple_SET_ITEM(positional, static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  for (Py_ssize_t k = 0; named && keywords && k < PyTuple_GET_SIZE(keywords); ++k)
    if (PyDict_SetItem(named, PyTuple_GET_ITEM(keywords, k), args[count + static_cast<size_t>(k)]) < 0)
      Py_CLEAR(named);
  PyObject *result = nullptr;
  if (positional && named)
    result = PyObject_CallMethod(launcher(), method, "OOO", grid ? grid : Py_None, positional, named);
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return result;
}

bool LaunchRequest::callPreRunHooks(PyObject *const *args, size_t count, PyObject *keywords) {
  if (PyList_GET_SIZE(state.preRunHooks) == 0)
    return true;
  PyObject *result = callAsGiven("_pre_run", nullptr, args, count, keywords);
  Py_XDECREF(result);
  return result != nullptr;
}

/// Increments torch's version counters of the tensors to which a kernel has stored. May call Python code.
bool LaunchRequest::incrementVersions(const KernelState &kernel) {
  bool isDone = true;
  for (uint16_t written : kernel.written) {
    const Argument &argument = arguments[written];
    if (!argument.isTorch)
      continue;
    bool isDescriptor = (argument.attributes & attribute::kKindMask) == attribute::Descriptor;
    PyObject *tensor = tensorBehind(isDescriptor ? argument.descriptor->base : values[written], borrowed);
    isDone &= !tensor || incrementVersion(tensor);
  }
  return isDone;
}

/// Runs the kernel's programs, if any. Version counters are also incremented if the kernel fails, because it may have
/// stored before.
bool LaunchRequest::runPrograms(PyObject *kernel) {
  if (programs == 0)
    return true;
  KernelState &state = *reinterpret_cast<KernelObject *>(kernel)->state;
  if (state.run(*this, kernel))
    return incrementVersions(state);
  ErrorKept failure;
  incrementVersions(state);
  return false;
}

/// Runs the kernel over the grid.
bool LaunchRequest::run(PyObject *kernel) {
  return hasHooks() && callsHooks ? runWithHooks(kernel) : runPrograms(kernel);
}

/// Runs the kernel between the hooks. As in Triton they are also called for an empty grid, and the second ones not
/// after a failure.
bool LaunchRequest::runWithHooks(PyObject *kernel) {
  PyObject *arguments = metaArguments();
  PyObject *metadata = nullptr;
  if (arguments)
    metadata = PyObject_CallMethod(launcher(), "_entering", "O(LLL)iOO", kernel, grid[0], grid[1], grid[2], device,
                                   arguments, givenStream() ? givenStream() : Py_None);
  Py_XDECREF(arguments);
  bool good = metadata && runPrograms(kernel);
  PyObject *result = good ? PyObject_CallMethod(launcher(), "_leaving", "O", metadata) : nullptr;
  Py_XDECREF(metadata);
  Py_XDECREF(result);
  return result != nullptr;
}
