//===- Threads.cpp - How many threads a launch may use ------------------------------------------------------------===//

#include "Launcher.h"

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/Workers.h"

#include <algorithm>

using namespace blockdsl::python;

namespace {

int chosen = 0;

/// `torch.get_num_threads`, once torch is loaded; null until then.
PyObject *torchFunction() {
  static PyObject *function = nullptr;
  if (function)
    return function;
  static PyObject *const name = PyUnicode_InternFromString("torch");
  PyObject *torch = name ? PyDict_GetItem(PyImport_GetModuleDict(), name) : nullptr;
  if (torch)
    function = PyObject_GetAttrString(torch, "get_num_threads"); // Fails while torch is still being imported.
  PyErr_Clear();
  if (function)
    blockdsl::runtime::findOpenMP("libtorch_cpu.so");
  return function;
}

} // namespace

void blockdsl::python::setThreads(int count) { chosen = count; }

int blockdsl::python::threadCount() {
  // Torch is looked for in any case: its workers may be the launch's.
  PyObject *function = torchFunction();
  if (chosen > 0)
    return chosen;
  if (function) {
    PyObject *result = PyObject_CallNoArgs(function);
    long count = result ? PyLong_AsLong(result) : 0;
    Py_XDECREF(result);
    PyErr_Clear();
    if (count > 0)
      return static_cast<int>(std::min(count, 4096L));
  }
  static const int available = runtime::availableCPUs();
  return available;
}
