//===- CachedLaunch.cpp - Launches of torch.compile with cached grids ---------------------------------------------===//
//
// The Python type `_runtime.CachedLaunch`. A compiled graph launches a kernel with the same numbers each time. Its
// launcher is a Python function that computes the grid from them, which takes two microseconds in repeated launches and
// ten times that with cold caches, after a matmul. So the grid and the arguments are cached with the numbers that they
// depend on. The Python function is called for other numbers, if a hook is set, and if a guarded global has changed.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GlobalsGuard.h"
#include "Launcher.h"
#include "Tracebacks.h"

#include <cstddef>
#include <structmember.h>
#include <vector>

using namespace blockdsl::python;

namespace {

/// Created when the module is loaded, so that no launch fails for lack of memory here.
PyObject *const kStream = PyUnicode_InternFromString("stream");

/// Number of times that the cache is filled. Numbers that have changed more often are assumed to change each time.
constexpr int kMaxLearned = 8;
/// Largest number of arguments that are copied to the stack.
constexpr Py_ssize_t kStackArguments = 64;

struct CachedLaunchObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *launcher, *learn, *function, *hooks;
  /// A guard as in GlobalsGuard.h.
  PyObject *globalsGuard;
  /// The last result of `learn`, null before: the types of the arguments, the values that the rest depends on (Ellipsis
  /// for other arguments), the grid, and for each argument of the kernel its index in the given ones or a tuple of its
  /// value.
  PyObject *learned;
  int timesLearned;
};

enum Part : Py_ssize_t { Types, Values, Grid, Arguments, Count };

CachedLaunchObject &of(PyObject *self) { return *reinterpret_cast<CachedLaunchObject *>(self); }

PyObject *partOf(PyObject *learned, Part part) { return PyTuple_GET_ITEM(learned, part); }

/// Returns true if the cached grid is that of these arguments. Only integers, strings and singletons are compared by
/// value.
bool isKnown(PyObject *learned, PyObject *const *args, size_t count) {
  PyObject *types = partOf(learned, Types), *values = partOf(learned, Values);
  if (static_cast<size_t>(PyTuple_GET_SIZE(types)) != count)
    return false;
  for (size_t i = 0; i < count; ++i) {
    auto index = static_cast<Py_ssize_t>(i);
    if (reinterpret_cast<PyObject *>(Py_TYPE(args[i])) != PyTuple_GET_ITEM(types, index))
      return false;
    PyObject *value = PyTuple_GET_ITEM(values, index);
    if (value != Py_Ellipsis && value != args[i] && PyObject_RichCompareBool(value, args[i], Py_EQ) != 1) {
      if (!clearError())
        throw Raised();
      return false;
    }
  }
  return true;
}

/// Returns true if the result of `learn` has tuples for each given argument, a grid of three, and valid indices.
bool isWellFormed(PyObject *learned, size_t count) {
  if (!PyTuple_Check(learned) || PyTuple_GET_SIZE(learned) != Count)
    return false;
  for (Py_ssize_t i = 0; i < Count; ++i)
    if (!PyTuple_Check(PyTuple_GET_ITEM(learned, i)))
      return false;
  auto sizeOf = [&](Part part) { return static_cast<size_t>(PyTuple_GET_SIZE(partOf(learned, part))); };
  if (sizeOf(Types) != count || sizeOf(Values) != count || sizeOf(Grid) != 3)
    return false;
  PyObject *arguments = partOf(learned, Arguments);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i) {
    PyObject *each = PyTuple_GET_ITEM(arguments, i);
    bool isValue = PyTuple_Check(each) && PyTuple_GET_SIZE(each) == 1;
    size_t index = PyLong_Check(each) ? PyLong_AsSize_t(each) : count;
    PyErr_Clear();
    if (!isValue && index >= count)
      return false;
  }
  return true;
}

/// Launches through the Python function, after filling the cache if `isToBeLearned`.
PyObject *callLauncher(CachedLaunchObject &self, PyObject *const *args, size_t flags, PyObject *keywords,
                       bool isToBeLearned) {
  auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  if (isToBeLearned && self.timesLearned < kMaxLearned) {
    ++self.timesLearned;
    PyObject *learned = PyObject_Vectorcall(self.learn, args, count, nullptr);
    if (!learned)
      return nullptr;
    if (learned != Py_None && !isWellFormed(learned, count)) {
      PyErr_Format(PyExc_TypeError, "learn gave %R", learned);
      Py_DECREF(learned);
      return nullptr;
    }
    if (learned == Py_None)
      Py_CLEAR(learned);
    Py_XSETREF(self.learned, learned);
  }
  return PyObject_Vectorcall(self.launcher, args, flags, keywords);
}

bool areHooksEmpty(PyObject *hooks) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(hooks); ++i)
    if (!isEmptyHook(PyTuple_GET_ITEM(hooks, i)))
      return false;
  return true;
}

PyObject *call(PyObject *object, PyObject *const *args, size_t flags, PyObject *keywords) {
  CachedLaunchObject &self = of(object);
  auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  bool isPlain = keywords && PyTuple_GET_SIZE(keywords) == 1 && PyTuple_GET_ITEM(keywords, 0) == kStream;
  if (!isPlain || !areHooksEmpty(self.hooks) || !areGlobalsUnchanged(self.globalsGuard))
    return callLauncher(self, args, flags, keywords, false);
  if (!self.learned || !isKnown(self.learned, args, count))
    return callLauncher(self, args, flags, keywords, true);
  // Other threads may refill the cache while this launch runs.
  OwnedRef owned(Py_NewRef(self.learned));
  PyObject *learned = owned.get(), *arguments = partOf(learned, Arguments);
  Py_ssize_t size = PyTuple_GET_SIZE(arguments);
  PyObject *onStack[kStackArguments];
  std::vector<PyObject *> onHeap(size > kStackArguments ? size : 0);
  PyObject **values = onHeap.empty() ? onStack : onHeap.data();
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *each = PyTuple_GET_ITEM(arguments, i);
    values[i] = PyTuple_Check(each) ? PyTuple_GET_ITEM(each, 0) : args[PyLong_AsSize_t(each)];
  }
  PyObject *grid[] = {PyTuple_GET_ITEM(partOf(learned, Grid), 0), PyTuple_GET_ITEM(partOf(learned, Grid), 1),
                      PyTuple_GET_ITEM(partOf(learned, Grid), 2)};
  OwnedRef kernel(
      leave(launchOver(reinterpret_cast<LauncherObject *>(self.function), grid, values, static_cast<size_t>(size))));
  return kernel ? Py_NewRef(Py_None) : nullptr;
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *launcher, *learn, *function, *hooks, *globalsGuard;
  if (!PyArg_ParseTuple(args, "OOOO!O:CachedLaunch", &launcher, &learn, &function, &PyTuple_Type, &hooks,
                        &globalsGuard))
    return nullptr;
  if (!isGlobalsGuard(globalsGuard))
    return nullptr;
  if (!isLauncher(function)) {
    PyErr_Format(PyExc_TypeError, "the function of a launch is one that was loaded for the CPU, got %R", function);
    return nullptr;
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  of(self).call = guarded<call>;
  of(self).launcher = Py_NewRef(launcher);
  of(self).learn = Py_NewRef(learn);
  of(self).function = Py_NewRef(function);
  of(self).hooks = Py_NewRef(hooks);
  of(self).globalsGuard = Py_NewRef(globalsGuard);
  return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(of(self).launcher);
  Py_VISIT(of(self).learn);
  Py_VISIT(of(self).function);
  Py_VISIT(of(self).hooks);
  Py_VISIT(of(self).globalsGuard);
  Py_VISIT(of(self).learned);
  return 0;
}

int clear(PyObject *self) {
  Py_CLEAR(of(self).launcher);
  Py_CLEAR(of(self).learn);
  Py_CLEAR(of(self).function);
  Py_CLEAR(of(self).hooks);
  Py_CLEAR(of(self).globalsGuard);
  Py_CLEAR(of(self).learned);
  return 0;
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CachedLaunchObject, call), READONLY, nullptr},
    {"launcher", T_OBJECT, offsetof(CachedLaunchObject, launcher), READONLY, "The function in Python."},
    {"learned", T_OBJECT, offsetof(CachedLaunchObject, learned), READONLY, "What `learn` gave last."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("CachedLaunch(launcher, learn, function, hooks, guard): launches of torch.compile.")},
    {Py_tp_new, reinterpret_cast<void *>(guarded<create>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"blockdsl._runtime.CachedLaunch", sizeof(CachedLaunchObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

PyTypeObject *blockdsl::python::cachedLaunchType() {
  static PyObject *type = PyType_FromSpec(&spec);
  return reinterpret_cast<PyTypeObject *>(type);
}
