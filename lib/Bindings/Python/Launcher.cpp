//===- Launcher.cpp - From a call to running programs -------------------------------------------------------------===//
//
// The path of `kernel[grid](...)`, top to bottom as it runs. A call whose kernel is compiled stays in this file and
// makes no Python object. What is rare goes to three methods of the Python class: `_compile` makes a kernel, `_refuse`
// words an error, `_failed` reports a failed assertion.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchCall.h"

#include <algorithm>
#include <unistd.h>

using namespace blockdsl::python;
using namespace blockdsl::runtime;

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
    Role role = state.parameters[i].role;
    if (role != Role::Constexpr && role != Role::Option)
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
    uint64_t caches = static_cast<uint64_t>(std::max(level2, 0L)) * static_cast<uint64_t>(availableCPUs());
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

/// The variant this launch wants: aliases matter where the kernel stores.
unsigned Call::variant(KernelObject *kernel) const {
  const std::vector<uint16_t> &written = kernel->state->written;
  bool mayAlias = std::any_of(written.begin(), written.end(), [&](uint16_t tensor) { return overlapsAnother(tensor); });
  return (mayAlias ? Entry::MayAlias : 0u) | streaming();
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
    kernel =
        PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_compile", "OOIO", bound, facts, variant, overlaps);
  Py_XDECREF(overlaps);
  Py_XDECREF(bound);
  Py_XDECREF(facts);
  if (kernel && (!PyObject_TypeCheck(kernel, kernelType()) || !reinterpret_cast<KernelObject *>(kernel)->state)) {
    PyErr_SetString(PyExc_TypeError, "_compile did not return a Kernel");
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

namespace {

/// What the interrupt check of a running launch needs.
struct Detached {
  PyThreadState *thread;

  static bool interrupted(void *self) {
    auto &thread = static_cast<Detached *>(self)->thread;
    PyEval_RestoreThread(thread);
    bool raised = PyErr_CheckSignals() != 0;
    thread = PyEval_SaveThread();
    return raised;
  }
};

} // namespace

bool Call::run(KernelObject *kernel) {
  KernelState &compiled = *kernel->state;
  LaunchContext context;
  uint64_t slots[kMaxParameters + 4];
  uint64_t *slot = slots;
  for (Slot wanted : compiled.slots)
    *slot++ = encode(wanted.encoding, arguments[wanted.parameter]);
  for (int64_t size : grid)
    *slot++ = static_cast<uint64_t>(size);
  *slot = reinterpret_cast<uint64_t>(&context);

  Detached detached{nullptr};
  Work work{compiled.function,     slots,    programs, compiled.scratchBytes, 1, &compiled.cost, &context,
            Detached::interrupted, &detached};
  int64_t done = runSmall(work);
  Outcome outcome = Outcome::Finished;
  if (done < programs) {
    work.threads = threadCount();
    detached.thread = PyEval_SaveThread();
    outcome = parallelFor(work, done);
    PyEval_RestoreThread(detached.thread);
  }
  if (outcome == Outcome::Interrupted)
    return false; // The signal's handler has raised.
  if (outcome == Outcome::OutOfMemory) {
    PyErr_Format(PyExc_MemoryError, "no %zu bytes of scratch memory for each thread", compiled.scratchBytes);
    return false;
  }
  if (!context.hasFailed())
    return true;
  PyObject *result = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_failed", "Oz(iii)", kernel,
                                         context.message, context.program[0], context.program[1], context.program[2]);
  Py_XDECREF(result);
  if (result)
    PyErr_SetString(PyExc_SystemError, "_failed did not raise");
  return false;
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
  if (grid && call.programs > 0 && !call.run(reinterpret_cast<KernelObject *>(kernel)))
    Py_CLEAR(kernel);
  return kernel;
}
