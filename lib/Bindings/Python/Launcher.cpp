//===- Launcher.cpp - From a call to running programs --------------------------------------------------------------------===//
//
// The path of `kernel[grid](...)`, top to bottom as it runs. A call whose kernel is compiled stays in this file and makes
// no Python object. What is rare goes to three methods of the Python class: `_compile` makes a kernel, `_refuse` words an
// error, `_failed` reports a failed assertion.
//
//===------------------------------------------------------------------------------------------------------------------===//

#include "Launcher.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

/// Everything about one call. On the stack; not cleared, because most of it is never used.
struct Call {
  explicit Call(LauncherObject *self) : self(self), state(*self->state) {}

  LauncherObject *self;
  LauncherState &state;
  PyObject *values[kMaxParameters];
  Argument arguments[kMaxParameters];
  /// The arguments' facts, less what their parameters are not specialised on.
  uint32_t specializations[kMaxParameters];
  uint16_t tensors[kMaxParameters];
  size_t tensorCount = 0;
  uint64_t key[2 * kMaxParameters];
  size_t keySize = 0;
  int64_t grid[3];
  int64_t programs = 0;
  Borrowed borrowed;

  bool checkBindings();
  bool bind(PyObject *const *args, size_t count, PyObject *keywords);
  bool bindKeywords(PyObject *const *args, PyObject *keywords);
  bool read();
  bool readOne(size_t index);
  void addConstexpr(PyObject *value);
  bool readGrid(PyObject *given);
  bool readGridTuple(PyObject *given);
  bool readGridSize(PyObject *given, int64_t &size);
  PyObject *metaArguments();
  uint64_t hash() const;
  Entry *addEntry(uint64_t hash);
  unsigned variant(KernelObject *kernel) const;
  unsigned streaming() const;
  bool overlapsAnother(uint16_t tensor) const;
  PyObject *overlapping() const;
  PyObject *compile(unsigned variant, bool isDecided);
  bool checkWritable(PyObject *kernel);
  bool run(KernelObject *kernel);

  bool refuse(const char *reason, PyObject *name, PyObject *value);
  bool refuseUnreadable(PyObject *name, PyObject *value);
};

/// Has Python raise the error that says what is wrong.
bool Call::refuse(const char *reason, PyObject *name, PyObject *value) {
  PyObject *result = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_refuse", "sOO", reason,
                                         name ? name : Py_None, value ? value : Py_None);
  if (result) {
    Py_DECREF(result);
    PyErr_Format(PyExc_SystemError, "_refuse(%s) did not raise", reason);
  }
  return false;
}

/// The same for an object that could not be read, with what it said.
bool Call::refuseUnreadable(PyObject *name, PyObject *value) {
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyObject *reason = PyUnicode_FromFormat("unreadable: %S", error ? error : Py_None);
  const char *text = reason ? PyUnicode_AsUTF8(reason) : nullptr;
  PyErr_Clear();
  refuse(text ? text : "unreadable: ", name, value);
  Py_XDECREF(reason);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  return false;
}

/// Forgets all kernels if a global that they were compiled with has changed.
bool Call::checkBindings() {
  for (const Binding &binding : state.bindings) {
    if (PyDict_GetItemWithError(binding.names, binding.name) == binding.value)
      continue;
    PyErr_Clear();
    PyObject *result = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_forget", nullptr);
    Py_XDECREF(result);
    return result != nullptr;
  }
  return true;
}

bool Call::bind(PyObject *const *args, size_t count, PyObject *keywords) {
  if (count > state.positional)
    return refuse("too many", nullptr, args[state.positional]);
  size_t all = state.parameters.size();
  std::copy(args, args + count, values);
  std::fill(values + count, values + all, nullptr);
  if (keywords && !bindKeywords(args + count, keywords))
    return false;
  for (size_t i = 0; i < all; ++i) {
    if (values[i])
      continue;
    values[i] = state.parameters[i].fallback;
    if (!values[i])
      return refuse("missing", state.parameters[i].name, nullptr);
  }
  return true;
}

bool Call::bindKeywords(PyObject *const *args, PyObject *keywords) {
  Py_ssize_t count = PyTuple_GET_SIZE(keywords);
  size_t all = state.parameters.size();
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject *name = PyTuple_GET_ITEM(keywords, k);
    size_t at = 0;
    // Names in source code are interned, and so are the parameters'.
    while (at < all && state.parameters[at].name != name)
      ++at;
    if (at == all)
      for (at = 0; at < all && PyUnicode_Compare(state.parameters[at].name, name) != 0;)
        ++at;
    if (at == all)
      return refuse("unknown", name, args[k]);
    if (values[at])
      return refuse("twice", name, args[k]);
    values[at] = args[k];
  }
  return true;
}

/// Reads every argument, and makes the key along the way.
bool Call::read() {
  for (size_t i = 0; i < state.parameters.size(); ++i) {
    Role role = state.parameters[i].role;
    if (role == Role::Runtime) {
      if (!readOne(i))
        return false;
    } else if (role != Role::Ignored) {
      addConstexpr(values[i]);
    }
  }
  return true;
}

bool Call::readOne(size_t index) {
  const Parameter &parameter = state.parameters[index];
  Argument &argument = arguments[index];
  switch (readArgument(values[index], argument, borrowed)) {
  case Refusal::Accepted:
    break;
  case Refusal::Type:
    return refuse("type", parameter.name, values[index]);
  case Refusal::Device:
    return refuse("device", parameter.name, values[index]);
  case Refusal::Dtype:
    return refuse("dtype", parameter.name, values[index]);
  case Refusal::Range:
    return refuse("range", parameter.name, values[index]);
  case Refusal::Unreadable:
    return refuseUnreadable(parameter.name, values[index]);
  }
  uint32_t kind = argument.fact & fact::kKindMask;
  specializations[index] = argument.fact & parameter.factMask;
  if (parameter.wanted != 'n' && kind != fact::None) {
    bool isInteger = kind >= fact::Int32 && kind <= fact::Bool;
    bool fits = parameter.wanted == 'p'   ? kind == fact::Tensor
                : parameter.wanted == 'i' ? isInteger
                                          : isInteger || kind == fact::Float;
    if (!fits)
      return refuse("annotation", parameter.name, values[index]);
  }
  key[keySize++] = specializations[index];
  if (kind == fact::Tensor)
    tensors[tensorCount++] = static_cast<uint16_t>(index);
  return true;
}

/// Two words: what it is, and its value; for anything but a small number its address, which Entry keeps alive.
void Call::addConstexpr(PyObject *value) {
  enum : uint64_t { None, Bool, Integer, Float, Object };
  uint64_t kind = Object;
  uint64_t payload = reinterpret_cast<uint64_t>(value);
  if (PyLong_CheckExact(value)) {
    int overflow;
    int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
      kind = Integer;
      payload = static_cast<uint64_t>(number);
    }
  } else if (PyBool_Check(value)) {
    kind = Bool;
    payload = value == Py_True;
  } else if (value == Py_None) {
    kind = None;
  } else if (PyFloat_CheckExact(value)) {
    kind = Float;
    double number = PyFloat_AS_DOUBLE(value);
    std::memcpy(&payload, &number, sizeof(payload));
  }
  key[keySize++] = fact::Constexpr | kind << 8;
  key[keySize++] = payload;
}

/// The kernel's arguments by name, for a grid that is a function of them.
PyObject *Call::metaArguments() {
  PyObject *meta = PyDict_New();
  for (size_t i = 0; meta && i < state.positional; ++i)
    if (PyDict_SetItem(meta, state.parameters[i].name, values[i]) < 0)
      Py_CLEAR(meta);
  return meta;
}

bool Call::readGridSize(PyObject *given, int64_t &size) {
  if (PyLong_CheckExact(given)) {
    size = PyLong_AsLongLong(given);
  } else if (PyBool_Check(given) || !PyIndex_Check(given)) {
    return false;
  } else {
    PyObject *number = PyNumber_Index(given);
    size = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
  }
  if (PyErr_Occurred())
    PyErr_Clear();
  return size >= 0 && size <= INT32_MAX;
}

bool Call::readGridTuple(PyObject *given) {
  PyObject *single[] = {given};
  PyObject *const *items = single;
  Py_ssize_t count = 1;
  if (PyTuple_Check(given) || PyList_Check(given)) {
    items = PySequence_Fast_ITEMS(given);
    count = PySequence_Fast_GET_SIZE(given);
  }
  if (count < 1 || count > 3)
    return refuse("grid", nullptr, given);
  programs = 1;
  for (Py_ssize_t d = 0; d < 3; ++d) {
    grid[d] = 1;
    if (d < count && !readGridSize(items[d], grid[d]))
      return refuse("grid", nullptr, given);
  }
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    programs = 0;
  else if (__builtin_mul_overflow(grid[0] * grid[1], grid[2], &programs) || programs >= (int64_t(1) << 62))
    return refuse("grid", nullptr, given);
  return true;
}

bool Call::readGrid(PyObject *given) {
  if (PyTuple_CheckExact(given) || PyLong_CheckExact(given) || !PyCallable_Check(given))
    return readGridTuple(given);
  PyObject *meta = metaArguments();
  PyObject *made = meta ? PyObject_CallOneArg(given, meta) : nullptr;
  Py_XDECREF(meta);
  bool good = made && readGridTuple(made);
  Py_XDECREF(made);
  return good;
}

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
uint64_t streamingThreshold() {
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
  bool mayAlias =
      std::any_of(written.begin(), written.end(), [&](uint16_t tensor) { return overlapsAnother(tensor); });
  return (mayAlias ? Entry::MayAlias : 0u) | streaming();
}

/// Has Python compile. As long as it is not known what the kernel writes, Python decides about aliases, by the arguments
/// that overlap.
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
    kernel = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_compile", "OOIO", bound, facts, variant,
                                 overlaps);
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
  Work work{compiled.function, slots,    programs, compiled.scratchBytes, 1, &compiled.cost,
            &context,          Detached::interrupted, &detached};
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

} // namespace

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
