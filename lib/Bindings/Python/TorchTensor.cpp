//===- TorchTensor.cpp - Fields of torch's tensors that DLPack lacks ----------------------------------------------===//

#include "TorchTensor.h"

#include "TracingDisabled.h"

#include <dlfcn.h>

using namespace blockdsl::python;

TorchLayout blockdsl::python::torchLayout;

namespace {

/// Calls a function of launcher/torch_fields.py. Returns null with an exception set if it cannot be imported.
PyObject *callFields(const char *name, PyObject *argument = nullptr) {
  TracingDisabled tracingDisabled;
  PyObject *module = PyImport_ImportModule("blockdsl.launcher.torch_fields");
  PyObject *function = module ? PyObject_GetAttrString(module, name) : nullptr;
  PyObject *result = function ? PyObject_CallFunctionObjArgs(function, argument, nullptr) : nullptr;
  Py_XDECREF(function);
  Py_XDECREF(module);
  return result;
}

void *findBumpVersion() {
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  void *function = library ? dlsym(library, "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE") : nullptr;
  if (library)
    dlclose(library); // torch keeps it loaded.
  return function;
}

} // namespace

void blockdsl::python::measureTorchLayout() {
  // Measuring fails while a mode of torch is active; later tensors try again.
  static bool isSettled = false;
  if (isSettled)
    return;
  TorchLayout &layout = torchLayout;
  unsigned long long negative, counted;
  PyObject *masks = callFields("masks"), *offsets = masks ? callFields("layout") : nullptr;
  if (offsets && PyArg_ParseTuple(masks, "KK", &negative, &counted)) {
    layout.negative = negative;
    layout.counted = counted;
    layout.bumpVersion = reinterpret_cast<decltype(layout.bumpVersion)>(findBumpVersion());
    isSettled = offsets != Py_None;
    bool isFound = isSettled && PyTuple_Check(offsets) && PyTuple_GET_SIZE(offsets) > 0;
    layout.isMeasured = isFound && PyArg_ParseTuple(offsets, "IIIII", &layout.impl, &layout.keys, &layout.storage,
                                                    &layout.address, &layout.size);
  }
  Py_XDECREF(offsets);
  Py_XDECREF(masks);
  if (!clearError()) // askTorch fails in the same way, and its error is reported.
    throw Raised();
}

bool blockdsl::python::askTorch(PyObject *tensor, TorchFields &fields) {
  measureTorchLayout();
  unsigned long long keys, address;
  long long size;
  PyObject *values = callFields("of", tensor);
  bool isParsed = values && PyArg_ParseTuple(values, "KKL", &keys, &address, &size);
  Py_XDECREF(values);
  if (isParsed)
    fields = {keys, address, size};
  return isParsed;
}

bool blockdsl::python::incrementVersionInPython(PyObject *tensor) {
  PyObject *result = callFields("increment_version", tensor);
  Py_XDECREF(result);
  return result != nullptr;
}
