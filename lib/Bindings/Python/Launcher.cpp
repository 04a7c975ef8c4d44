//===- Launcher.cpp - From a call to running programs -------------------------------------------------------------===//
//
// The path of `kernel[grid](...)`, top to bottom as it runs, up to the kernel's own `run`. A call whose kernel is
// compiled makes no Python object. What is rare goes to three methods of the Python class: `_compile` makes a kernel,
// `_refuse` words an error, `_failed` reports a failed assertion.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchCall.h"

#include "blockdsl/Runtime/ParallelFor.h"

#include <algorithm>
#include <unistd.h>

using namespace blockdsl::python;

uint64_t Call::hash() const {
  uint64_t hash = keySize;
  for (size_t i = 0; i < keySize; ++i) {
    hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

Entry *Call::addEntry(uint64_t hash) {
  auto entry = std::make_unique<Entry>();
  entry->key.assign(key, key + keySize);
  entry->hash = hash;
  for (size_t i = 0; i < state.parameters.size(); ++i) {
    if (!isInKey(state.parameters[i]))
      continue;
    Py_INCREF(values[i]);
    entry->constexprs.push_back(values[i]);
  }
  return &state.table.insert(std::move(entry));
}

/// Whether an argument spans bytes that another one spans too. It spans its own elements, not its storage: who makes a
/// kernel reach beyond the tensor it was given tells it nothing true about aliases.
bool Call::overlapsAnother(uint16_t tensor) const {
  const Argument &target = arguments[tensor];
  for (size_t i = 0; i < tensorCount; ++i) {
    const Argument &other = arguments[tensors[i]];
    if (tensors[i] != tensor && target.begin < other.end && other.begin < target.end)
      return true;
  }
  return false;
}

/// The arguments that overlap another one, as a tuple of indices.
PyObject *Call::overlapping() const {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < tensorCount; ++i) {
    if (!overlapsAnother(tensors[i]))
      continue;
    PyObject *index = PyLong_FromLong(tensors[i]);
    if (!index || PyList_Append(list, index) < 0)
      Py_CLEAR(list);
    Py_XDECREF(index);
  }
  PyObject *result = list ? PyList_AsTuple(list) : nullptr;
  Py_XDECREF(list);
  return result;
}

/// Memory that does not fit into the caches anyway is better not brought into them by stores.
static uint64_t streamingThreshold() {
  static const uint64_t threshold = [] {
    long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    uint64_t caches =
        static_cast<uint64_t>(std::max(level2, 0L)) * static_cast<uint64_t>(blockdsl::runtime::availableCPUs());
    return std::max<uint64_t>(caches, 4 << 20);
  }();
  return threshold;
}

unsigned Call::streaming() const {
  uint64_t footprint = 0;
  for (size_t i = 0; i < tensorCount; ++i)
    footprint += arguments[tensors[i]].end - arguments[tensors[i]].begin;
  return footprint > streamingThreshold() ? Entry::Streaming : 0u;
}

/// The variant this launch wants: aliases matter where the kernel stores. A launch on a GPU has one variant, because
/// its arguments span nothing of the host's memory.
unsigned Call::variant(KernelObject *kernel) const {
  const std::vector<uint16_t> &written = kernel->state->written;
  bool mayAlias = std::any_of(written.begin(), written.end(), [&](uint16_t tensor) { return overlapsAnother(tensor); });
  return (mayAlias ? Entry::MayAlias : 0u) | streaming();
}

static bool isKernelFor(int device, PyObject *object) {
  if (!PyObject_TypeCheck(object, anyKernelType()))
    return false;
  const KernelState *kernel = reinterpret_cast<KernelObject *>(object)->state;
  return kernel && kernel->isFor(device);
}

/// Has Python compile. As long as it is not known what the kernel writes, Python decides about aliases, by the
/// arguments that overlap.
PyObject *Call::compile(unsigned variant, bool isDecided) {
  PyObject *overlaps = isDecided ? PyTuple_New(0) : overlapping();
  PyObject *bound = PyTuple_New(static_cast<Py_ssize_t>(state.parameters.size()));
  PyObject *facts = PyTuple_New(static_cast<Py_ssize_t>(state.parameters.size()));
  for (size_t i = 0; bound && facts && i < state.parameters.size(); ++i) {
    Py_INCREF(values[i]);
    PyTuple_SET_ITEM(bound, i, values[i]);
    bool isRuntime = state.parameters[i].role == Role::Runtime;
    PyTuple_SET_ITEM(facts, i, PyLong_FromUnsignedLong(isRuntime ? specializations[i] : fact::Constexpr));
  }
  PyObject *kernel = nullptr;
  if (bound && facts && overlaps && !PyErr_Occurred())
    kernel = PyObject_CallMethod(launcher(), "_compile", "OOIOi", bound, facts, variant, overlaps, device);
  Py_XDECREF(overlaps);
  Py_XDECREF(bound);
  Py_XDECREF(facts);
  if (kernel && !isKernelFor(device, kernel)) {
    PyErr_SetString(PyExc_TypeError, "_compile did not return a kernel for the device");
    Py_CLEAR(kernel);
  }
  return kernel;
}

/// Once a key: being read-only is part of it.
bool Call::checkWritable(PyObject *kernel) {
  for (uint16_t written : reinterpret_cast<KernelObject *>(kernel)->state->written)
    if (arguments[written].fact & fact::kReadOnly)
      return refuse("read-only", state.parameters[written].name, values[written]);
  return true;
}

PyObject *blockdsl::python::launch(LauncherObject *self, PyObject *grid, PyObject *const *args, size_t count,
                                   PyObject *keywords) {
  if (!self->state) {
    PyErr_SetString(PyExc_RuntimeError, "Launcher.__init__ was not called");
    return nullptr;
  }
  Call call(self);
  if (!call.checkBindings() || !call.bind(args, count, keywords) || !call.read() || (grid && !call.readGrid(grid)))
    return nullptr;
  uint64_t hash = call.hash();
  Entry *entry = call.state.table.find(call.key, call.keySize, hash);
  unsigned variant = entry ? call.variant(entry->any()) : call.streaming();
  PyObject *kernel = entry ? entry->kernels[variant] : nullptr;
  Py_XINCREF(kernel);
  if (!kernel) {
    kernel = call.compile(variant, entry != nullptr);
    if (!kernel || !call.checkWritable(kernel)) {
      Py_XDECREF(kernel);
      return nullptr;
    }
    // Compiling runs Python code, which may have launched, and cleared the table, meanwhile.
    entry = call.state.table.find(call.key, call.keySize, hash);
    if (!entry)
      entry = call.addEntry(hash);
    Py_INCREF(kernel);
    Py_XSETREF(entry->kernels[call.variant(reinterpret_cast<KernelObject *>(kernel))], kernel);
  }
  if (grid && call.programs > 0 && !reinterpret_cast<KernelObject *>(kernel)->state->run(call, kernel))
    Py_CLEAR(kernel);
  return kernel;
}
