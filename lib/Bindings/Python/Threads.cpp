//===- Threads.cpp - Number of threads of a launch ----------------------------------------------------------------===//

#include "Guarded.h"
#include "Launcher.h"

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/Workers.h"

#include <algorithm>

using namespace blockdsl::python;

namespace {

int chosen = 0;

/// Created when the module is loaded, so that no launch fails for lack of memory here.
PyObject *const kTorch = PyUnicode_InternFromString("torch"), *const kGetThreads =
                                                                  PyUnicode_InternFromString("get_num_threads");

/// Returns `torch.get_num_threads`; null if torch is not loaded.
PyObject *torchFunction() {
  static PyObject *function = nullptr;
  if (function)
    return function;
  PyObject *torch = kTorch ? PyDict_GetItemWithError(PyImport_GetModuleDict(), kTorch) : nullptr;
  if (torch)
    function = findAttribute(torch, kGetThreads).release(); // Missing while torch is being imported.
  else if (!clearError())
    throw Raised();
  if (function)
    blockdsl::runtime::findOpenMP("libtorch_cpu.so");
  return function;
}

} // namespace

void blockdsl::python::setThreads(int count) { chosen = count; }

int blockdsl::python::threadCount() {
  // Finds torch in any case, because launches may run on its workers.
  PyObject *function = torchFunction();
  if (chosen > 0)
    return chosen;
  if (function) {
    PyObject *result = PyObject_CallNoArgs(function);
    long count = result ? PyLong_AsLong(result) : 0;
    Py_XDECREF(result);
    if (!clearError())
      throw Raised();
    if (count > 0)
      return static_cast<int>(std::min(count, 4096L));
  }
  static const int available = runtime::availableCPUs();
  return available;
}
