//===- Launcher.cpp - Path of a launch from the call to the kernel ------------------------------------------------===//
//
// The steps of `kernel[grid](...)` up to the kernel's `run`. A launch of a compiled kernel creates no Python objects.
// Rare cases call methods of the Python class: `_compile` compiles a kernel, `_refuse` raises an error, `_explain_grid`
// an error of a callable grid, `_failed` that of a failed assertion, and `_record` records the launch in a graph of
// torch's. Those of hooks are in LaunchHooks.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchDescriptor.h"
#include "LaunchRequest.h"
#include "TracingDisabled.h"

#include "blockdsl/Runtime/CPUs.h"

#include <algorithm>
#include <utility>

using namespace blockdsl::python;

uint64_t LaunchRequest::hash() const {
  uint64_t hash = keySize;
  for (size_t i = 0; i < keySize; ++i) {
    hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

Entry *LaunchRequest::addEntry(uint64_t hash) {
  auto entry = std::make_unique<Entry>();
  entry->key.assign(key, key + keySize);
  entry->hash = hash;
  for (size_t i = 0; i < state.parameters.size(); ++i) {
    if (!isInKey(i))
      continue;
    entry->constexprs.push_back(OwnedRef(Py_NewRef(values[i])));
  }
  size_t element = 0;
  for (size_t i = 0; i < state.positional; ++i) {
    if (isTuple(i))
      keepAlive(*entry, values[i], element);
    else if (state.parameters[i].role == Role::Runtime && arguments[i].attributes == attribute::Constexpr)
      entry->constexprs.push_back(OwnedRef(Py_NewRef(values[i])));
  }
  if (state.isKeyedByType)
    keepTypesAlive(*entry);
  return &state.table.insert(std::move(entry));
}

/// Keeps the types alive whose addresses are in the key.
void LaunchRequest::keepTypesAlive(Entry &entry) const {
  auto keep = [&](PyObject *object) {
    entry.constexprs.push_back(OwnedRef(Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(object)))));
  };
  auto keepArgument = [&](size_t index) {
    keep(values[index]);
    if ((arguments[index].attributes & attribute::kKindMask) == attribute::Descriptor)
      keep(arguments[index].descriptor->base);
  };
  for (size_t i = 0; i < state.positional; ++i)
    if (state.parameters[i].role == Role::Runtime)
      keepArgument(i);
  for (size_t i = 0; i < elementCount; ++i)
    keepArgument(kMaxParameters + i);
}

/// Returns true if two arguments are the same pointer to elements of the same type, so that their kernel can be
/// compiled as if they were one parameter.
bool LaunchRequest::isSame(uint16_t one, uint16_t other) const {
  const Argument &a = arguments[one], &b = arguments[other];
  return a.value == b.value && ((a.attributes ^ b.attributes) & (attribute::kKindMask | attribute::kDtypeMask)) == 0;
}

/// Returns how an argument overlaps with others. Only the elements of tensors count, not their storage: kernels that
/// access elements beyond a tensor get no valid alias information.
Overlap LaunchRequest::overlapOf(uint16_t tensor) const {
  const Argument &target = arguments[tensor];
  Overlap overlap = Overlap::None;
  for (size_t i = 0; i < tensorCount; ++i) {
    const Argument &other = arguments[tensors[i]];
    if (tensors[i] == tensor || target.begin >= other.end || other.begin >= target.end)
      continue;
    if (!isSame(tensor, tensors[i]))
      return Overlap::Partial;
    overlap = Overlap::Same;
  }
  return overlap;
}

/// Returns the first tensor that is the same pointer as tensor `number`. Empty tensors and tensors on a GPU are their
/// own leaders.
uint16_t LaunchRequest::leaderOf(size_t number) const {
  const Argument &argument = arguments[tensors[number]];
  for (size_t i = 0; i < number && argument.begin < argument.end; ++i)
    if (arguments[tensors[i]].begin < arguments[tensors[i]].end && isSame(tensors[i], tensors[number]))
      return tensors[i];
  return tensors[number];
}

/// Returns a tuple of two lists: the indices of arguments that partially overlap another one, and pairs of arguments
/// that are the same pointer.
PyObject *LaunchRequest::overlaps() const {
  PyObject *partial = PyList_New(0), *same = PyList_New(0);
  bool failed = !partial || !same;
  auto append = [&](PyObject *list, PyObject *item) {
    failed = failed || !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
  };
  for (size_t i = 0; !failed && i < tensorCount; ++i) {
    uint16_t leader = leaderOf(i);
    if (overlapOf(tensors[i]) == Overlap::Partial)
      append(partial, PyLong_FromLong(tensors[i]));
    if (leader != tensors[i])
      append(same, Py_BuildValue("(ii)", tensors[i], leader));
  }
  PyObject *result = failed ? nullptr : PyTuple_Pack(2, partial, same);
  Py_XDECREF(partial);
  Py_XDECREF(same);
  return result;
}

unsigned LaunchRequest::streaming() const {
  uint64_t footprint = 0;
  for (size_t i = 0; i < tensorCount; ++i)
    if (arguments[tensors[i]].end != kAnywhere)
      footprint += arguments[tensors[i]].end - arguments[tensors[i]].begin;
  // Stores to memory that does not fit in the caches should bypass them.
  static const uint64_t cacheBytes = blockdsl::runtime::bytesKeptInCaches();
  return footprint > cacheBytes ? Entry::Streaming : 0u;
}

/// Returns the entry's slot for the variant of the kernel that fits this launch. Aliases matter for arguments to which
/// the kernel stores, which are the same for all variants, so `kernel` can be any of them. Arguments on a GPU do not
/// overlap, because they span no host memory.
PyObject *&LaunchRequest::kernelIn(Entry &entry, const KernelObject *kernel) const {
  unsigned variant = streaming();
  Overlap worst = Overlap::None;
  for (uint16_t written : kernel->state->written)
    worst = std::max(worst, overlapOf(written));
  if (worst != Overlap::Same)
    return entry.kernels[variant | (worst == Overlap::Partial ? Entry::MayAlias : 0u)];
  std::vector<uint16_t> leaders(tensorCount);
  for (size_t i = 0; i < tensorCount; ++i)
    leaders[i] = leaderOf(i);
  auto found = std::find_if(entry.merged.begin(), entry.merged.end(),
                            [&](const Entry::Merged &group) { return group.leaders == leaders; });
  if (found == entry.merged.end())
    found = entry.merged.insert(found, {std::move(leaders), {nullptr, nullptr}});
  return found->kernels[variant ? 1 : 0];
}

static bool isKernelFor(int device, PyObject *object) {
  if (!PyObject_TypeCheck(object, anyKernelType()))
    return false;
  const KernelState *kernel = reinterpret_cast<KernelObject *>(object)->state;
  return kernel && kernel->isFor(device);
}

/// Returns the values of all parameters and the attributes on which the kernel is specialized.
PyObject *LaunchRequest::described() const {
  PyObject *bound = PyTuple_New(static_cast<Py_ssize_t>(state.parameters.size()));
  PyObject *attributes = PyTuple_New(static_cast<Py_ssize_t>(state.parameters.size()));
  size_t element = 0;
  for (size_t i = 0; bound && attributes && i < state.parameters.size(); ++i) {
    Py_INCREF(values[i]);
    PyTuple_SET_ITEM(bound, i, values[i]);
    bool isRuntime = state.parameters[i].role == Role::Runtime;
    PyTuple_SET_ITEM(attributes, i,
                     isTuple(i) ? attributesOf(values[i], element)
                                : PyLong_FromUnsignedLong(isRuntime ? specializations[i] : attribute::Constexpr));
  }
  PyObject *both = bound && attributes && !PyErr_Occurred() ? PyTuple_Pack(2, bound, attributes) : nullptr;
  Py_XDECREF(bound);
  Py_XDECREF(attributes);
  return both;
}

/// Calls the Python method that compiles. Returns a kernel, or None. The method chooses the variant for aliases,
/// because the arguments to which the kernel stores may be unknown before.
PyObject *LaunchRequest::compile() {
  TracingDisabled tracingDisabled;
  PyObject *shared = overlaps(), *both = described();
  PyObject *kernel = nullptr;
  if (both && shared)
    kernel = PyObject_CallMethod(launcher(), "_compile", "OOIOi", PyTuple_GET_ITEM(both, 0), PyTuple_GET_ITEM(both, 1),
                                 streaming(), shared, device);
  Py_XDECREF(shared);
  Py_XDECREF(both);
  if (kernel && kernel != Py_None && !isKernelFor(device, kernel)) {
    PyErr_SetString(PyExc_TypeError, "_compile did not return a kernel for the device");
    Py_CLEAR(kernel);
  }
  return kernel;
}

/// Refuses read-only arguments to which the kernel stores. Called once per key, which includes being read-only.
bool LaunchRequest::checkWritable(PyObject *kernel) {
  for (uint16_t written : reinterpret_cast<KernelObject *>(kernel)->state->written)
    if (arguments[written].attributes & attribute::kReadOnly)
      return refuseArgument("read-only", written, values[written]);
  return true;
}

static bool isInitialized(LauncherObject *self) {
  if (!self->state)
    PyErr_SetString(PyExc_RuntimeError, "Launcher.__init__ was not called");
  return self->state != nullptr;
}

PyObject *blockdsl::python::describe(LauncherObject *self, PyObject *const *args, size_t count, PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  LaunchRequest request(self);
  return request.bind(args, count, keywords) && request.read() ? request.described() : nullptr;
}

/// Looks up or compiles the kernel after binding and conversion, and returns it, or None. Runs it over `grid`, or if
/// `isRun` over the grid that was read already.
PyObject *LaunchRequest::finish(bool isRun, PyObject *grid) {
  uint64_t hash = this->hash();
  Entry *entry = state.table.find(key, keySize, hash);
  OwnedRef kernel(entry ? Py_XNewRef(kernelIn(*entry, entry->any())) : nullptr);
  if (!kernel) {
    kernel.reset(compile());
    // A hook has prevented the compilation.
    if (kernel.get() == Py_None)
      return kernel.release();
    if (!kernel || !checkWritable(kernel.get()))
      return nullptr;
    // Compiling runs Python code, which may launch and clear the table.
    entry = state.table.find(key, keySize, hash);
    if (!entry)
      entry = addEntry(hash);
    PyObject *&slot = kernelIn(*entry, reinterpret_cast<KernelObject *>(kernel.get()));
    OwnedRef old(std::exchange(slot, Py_NewRef(kernel.get())));
  }
  // As in Triton a callable grid is called after the compilation: a caller whose launch is refused may launch in
  // another way, which calls the grid again.
  if ((grid && !readGrid(grid)) || (isRun && !run(kernel.get())))
    return nullptr;
  return kernel.release();
}

PyObject *blockdsl::python::launch(LauncherObject *self, PyObject *grid, PyObject *const *args, size_t count,
                                   PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  LaunchRequest request(self);
  request.isRecordable = grid != nullptr;
  if (!request.checkGlobals() || !request.bind(args, count, keywords))
    return nullptr;
  if (!request.read())
    return request.isTraced ? request.callAsGiven("_record", grid, args, count, keywords) : nullptr;
  if (self->state->preRunHooks && !request.callPreRunHooks(args, count, keywords))
    return nullptr;
  return request.finish(grid != nullptr, grid);
}

PyObject *blockdsl::python::launchOver(LauncherObject *self, PyObject *const *sizes, PyObject *const *args,
                                       size_t count, PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  LaunchRequest request(self);
  request.callsHooks = false;
  if (!request.bind(args, count, keywords) || !request.read())
    return nullptr;
  if (!request.readGridSizes(sizes, 3)) {
    PyObject *grid = PyTuple_Pack(3, sizes[0], sizes[1], sizes[2]);
    if (grid)
      request.refuse("grid", nullptr, grid);
    Py_XDECREF(grid);
    return nullptr;
  }
  return request.finish(true);
}
