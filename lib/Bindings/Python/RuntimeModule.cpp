//===- RuntimeModule.cpp - Extension module `blockdsl._runtime` ---------------------------------------------------===//
//
// It contains the launch path only, so that a kernel from the disk cache starts without loading MLIR. The compiler is
// in `blockdsl._native`.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "FaultReport.h"
#include "GILReleased.h"
#include "LaunchAccesses.h"
#include "LaunchDtypes.h"
#include "Launcher.h"
#include "ModuleExecution.h"
#include "TracingDisabled.h"

#include "blockdsl/Runtime/CUDAKernel.h"
#include "blockdsl/Runtime/LaunchContext.h"
#include "blockdsl/Runtime/TileRegisters.h"
#include "blockdsl/Runtime/Workers.h"

using namespace blockdsl::python;

namespace {

PyObject *setNumThreads(PyObject *, PyObject *count) {
  long threads = PyLong_AsLong(count);
  if (threads == -1 && PyErr_Occurred())
    return nullptr;
  if (threads < 0 || threads > 4096) {
    PyErr_Format(PyExc_ValueError, "a launch runs on 1 to 4096 threads, or 0 for the default; got %ld", threads);
    return nullptr;
  }
  setThreads(static_cast<int>(threads));
  Py_RETURN_NONE;
}

PyObject *getNumThreads(PyObject *, PyObject *) { return PyLong_FromLong(threadCount()); }

/// In the order of blockdsl::runtime::Workers.
constexpr const char *kWorkers[] = {"auto", "torch", "own"};

PyObject *setWorkers(PyObject *, PyObject *name) {
  for (int i = 0; i < 3; ++i)
    if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, kWorkers[i]) == 0) {
      blockdsl::runtime::chooseWorkers(static_cast<blockdsl::runtime::Workers>(i));
      Py_RETURN_NONE;
    }
  PyErr_Format(PyExc_ValueError, "workers are 'auto', 'torch' or 'own', got %R", name);
  return nullptr;
}

PyObject *getWorkers(PyObject *, PyObject *) {
  return PyUnicode_FromString(kWorkers[static_cast<int>(blockdsl::runtime::workersOf(threadCount()))]);
}

PyObject *requestTileRegisters(PyObject *, PyObject *) {
  return PyBool_FromLong(blockdsl::runtime::requestTileRegisters());
}

/// Returns the attributes of an argument, for tests and for kernels with a declared signature; None if it is refused.
PyObject *readAttributes(PyObject *, PyObject *object) {
  Argument argument;
  Borrowed borrowed;
  Refusal refusal = readArgument(object, argument, borrowed);
  if (refusal == Refusal::Unreadable)
    PyErr_Clear();
  if (refusal != Refusal::Accepted)
    Py_RETURN_NONE;
  return PyLong_FromUnsignedLong(argument.attributes);
}

/// Returns the addresses of functions for other linkers.
PyObject *symbols(PyObject *, PyObject *) {
  PyObject *addresses = PyDict_New();
  for (const std::string &name : blockdsl::runtime::kernelSymbolNames()) {
    void *found = blockdsl::runtime::lookupKernelSymbol(name.c_str());
    PyObject *address = found ? PyLong_FromVoidPtr(found) : nullptr;
    if (addresses && address && PyDict_SetItemString(addresses, name.c_str(), address) < 0)
      Py_CLEAR(addresses);
    Py_XDECREF(address);
  }
  return addresses;
}

PyObject *cudaDeviceCount(PyObject *, PyObject *) { return PyLong_FromLong(blockdsl::runtime::cuda::deviceCount()); }

PyObject *cudaCapability(PyObject *, PyObject *device) {
  long ordinal = PyLong_AsLong(device);
  if (ordinal == -1 && PyErr_Occurred())
    return nullptr;
  int capability = 0;
  if (auto failure = blockdsl::runtime::cuda::computeCapability(static_cast<int>(ordinal), capability)) {
    const char *text =
        failure.kind == failure.NoDriver ? failure.call : blockdsl::runtime::cuda::errorText(failure.result);
    PyErr_Format(PyExc_RuntimeError, "no compute capability of CUDA device %ld: %s", ordinal, text);
    return nullptr;
  }
  return PyLong_FromLong(capability);
}

PyObject *endAllLaunches(PyObject *, PyObject *) {
  if (!endLaunches())
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *callToCompile(PyObject *, PyObject *function) { return callCompiler(function); }

PyObject *stayOutNow(PyObject *, PyObject *) {
  stayOutIfEnding();
  Py_RETURN_NONE;
}

PyObject *watchAllLaunches(PyObject *, PyObject *args) {
  PyObject *entering, *leaving;
  if (!PyArg_ParseTuple(args, "OO:watch_launches", &entering, &leaving) || !watchLaunches(entering, leaving))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *isAccessCode(PyObject *, PyObject *args) {
  PyObject *code;
  Py_ssize_t slots;
  if (!PyArg_ParseTuple(args, "On", &code, &slots))
    return nullptr;
  std::unique_ptr<LaunchAccesses> accesses;
  bool isGood = slots >= 0 && LaunchAccesses::read(code, static_cast<size_t>(slots), accesses);
  PyErr_Clear();
  return PyBool_FromLong(isGood);
}

PyObject *countChecked(PyObject *, PyObject *) { return countCheckedLaunches(); }

PyMethodDef methods[] = {
    {"watch_launches", guarded<watchAllLaunches>, METH_VARARGS,
     "Sets the lists of hooks that are called before and after launches."},
    {"set_num_threads", guarded<setNumThreads>, METH_O,
     "Sets the number of threads of a launch; 0 uses torch's, or else the system's."},
    {"get_num_threads", guarded<getNumThreads>, METH_NOARGS, "Returns the number of threads of a launch."},
    {"set_workers", guarded<setWorkers>, METH_O, "Sets the workers of launches: 'auto', 'torch' or 'own'."},
    {"get_workers", guarded<getWorkers>, METH_NOARGS,
     "Returns the workers of a launch on several threads: 'torch' or 'own'."},
    {"request_tile_registers", requestTileRegisters, METH_NOARGS,
     "Requests the use of AMX. Returns true if the system permits it."},
    {"symbols", guarded<symbols>, METH_NOARGS, "Returns the functions that kernels may call, with their addresses."},
    {"cuda_device_count", guarded<cudaDeviceCount>, METH_NOARGS,
     "Returns the number of GPUs; 0 without CUDA's driver."},
    {"cuda_capability", guarded<cudaCapability>, METH_O,
     "Returns the compute capability of a GPU, such as 90 for 9.0."},
    {"end_launches", guarded<endAllLaunches>, METH_NOARGS,
     "Ends the launches of all other threads before the interpreter exits."},
    {"call_compiler", guarded<callToCompile>, METH_O,
     "Calls a function that compiles. The interpreter's exit waits for it for a limited time."},
    {"stay_out_if_ending", stayOutNow, METH_NOARGS, "Does not return if the interpreter exits."},
    {"untraced", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callWithTracingDisabled)),
     METH_FASTCALL | METH_KEYWORDS, "Calls a function that torch's Dynamo does not trace."},
    {"is_access_code", guarded<isAccessCode>, METH_VARARGS,
     "Returns true if integers are valid formulas of the accesses of a kernel with that many slots."},
    {"count_checked_launches", countChecked, METH_NOARGS,
     "Returns the numbers of launches whose accesses were evaluated, and that were equal to the last one."},
    {"read_attributes", guarded<readAttributes>, METH_O,
     "Returns the attributes on which a kernel is specialized for an argument; None if it is refused."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject *dtypeNames() {
  PyObject *names = PyTuple_New(kDtypeCount);
  for (int i = 0; names && i < kDtypeCount; ++i)
    PyTuple_SET_ITEM(names, i, PyUnicode_FromString(kDtypeNames[i]));
  return names;
}

bool addType(PyObject *module, const char *name, PyTypeObject *type) {
  Py_XINCREF(type);
  return type && PyModule_AddObject(module, name, reinterpret_cast<PyObject *>(type)) == 0;
}

/// Adds the contents of the module: once a process, because launchers are recognized by their types.
bool fill(PyObject *module) {
  watchForks();
  reportFaults();
  return addType(module, "Kernel", kernelType()) && addType(module, "CUDAKernel", cudaKernelType()) &&
         addType(module, "TritonLaunch", tritonLaunchType()) && addType(module, "CachedLaunch", cachedLaunchType()) &&
         addType(module, "Shortcuts", shortcutsType()) && PyModule_AddObject(module, "DTYPES", dtypeNames()) == 0 &&
         addLauncherType(module);
}

/// Refuses other interpreters: kernels, types and threads belong to the process, and interpreters must not share
/// objects.
int execute(PyObject *module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "blockdsl runs in a process's main interpreter only, not in a sub-interpreter");
    return -1;
  }
  return executeOnce(module, fill) ? 0 : -1;
}

PyModuleDef_Slot moduleSlots[] = {
    {Py_mod_exec, reinterpret_cast<void *>(execute)},
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_runtime", "The launch path.", 0, methods, moduleSlots, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit__runtime() { return PyModuleDef_Init(&definition); }
