//===- TritonShortcut.cpp - Repeated launches of stock kernels ----------------------------------------------------===//
//
// The Python type `_runtime.Shortcuts`, which replaces `KernelInterface.__getitem__` and launches known kernels without
// Triton's binder. triton/cached_launch.py registers the kernels. It is in C++ because a kernel evicts the caches, and
// the Python frames that would run after it cost ten microseconds of cache misses.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GlobalsGuard.h"
#include "Launcher.h"
#include "Tracebacks.h"

#include <cstddef>
#include <memory>
#include <structmember.h>
#include <vector>

using namespace blockdsl::python;

namespace {

struct ShortcutsObject {
  PyObject_HEAD vectorcallfunc call;
  /// The `run` of JITFunction for all other launches.
  PyObject *run;
  /// The exception of a launcher without a kernel for the arguments. Its `grid` is the result of a callable grid.
  PyObject *unknown;
  /// Triton's module of settings, and pairs of a group and a name in it. All of these settings are empty unless hooks
  /// or debugging are enabled.
  PyObject *knobs, *quiet;
  /// A guard, as in GlobalsGuard.h, on the groups, and dicts and lists that are empty if no setting was changed.
  /// Checking these four objects needs fewer cache lines than reading five attributes. Or None.
  PyObject *sets, *untouched;
  /// The object whose `_active` is the active driver.
  PyObject *driver;
};

/// The result of `kernel[grid]`.
struct ShortLaunchObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *shortcuts;
  PyObject *function;
  PyObject *grid;
};

PyTypeObject *launchType = nullptr;

PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
PyObject *const kRun = name("run"), *const kGrid = name("grid"), *const kWarmup = name("warmup"),
                *const kShortcut = name("_shortcut"), *const kGlobals = name("used_global_vals"),
                *const kHooks = name("pre_run_hooks"), *const kActive = name("_active"),
                *const kIsAlone = name("is_alone"), *const kOfTriton = name("of_triton");

ShortcutsObject &shortcutsOf(PyObject *self) { return *reinterpret_cast<ShortcutsObject *>(self); }

/// Returns an attribute, or null in an unknown version of Triton.
OwnedRef attribute(PyObject *object, PyObject *name) { return object ? findAttribute(object, name) : nullptr; }

bool isTrue(const OwnedRef &value) {
  int truth = value ? PyObject_IsTrue(value.get()) : -1;
  if (truth < 0 && !clearError())
    throw Raised();
  return truth == 1;
}

/// Returns true for None, False, an empty string, or a chain without hooks.
bool isUnset(const OwnedRef &value) { return value && (isEmptyHook(value.get()) || !isTrue(value)); }

/// Returns true if a dict or a list is empty.
bool isEmpty(PyObject *container) {
  return PyDict_Check(container) ? PyDict_GET_SIZE(container) == 0 : PyList_GET_SIZE(container) == 0;
}

bool isUntouched(const ShortcutsObject &self) {
  if (self.untouched == Py_None || !areGlobalsUnchanged(self.sets))
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.untouched); ++i)
    if (!isEmpty(PyTuple_GET_ITEM(self.untouched, i)))
      return false;
  return true;
}

bool areSettingsUnset(const ShortcutsObject &self) {
  if (isUntouched(self))
    return true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.quiet); ++i) {
    PyObject *pair = PyTuple_GET_ITEM(self.quiet, i);
    OwnedRef set = attribute(self.knobs, PyTuple_GET_ITEM(pair, 0));
    if (!isUnset(attribute(set.get(), PyTuple_GET_ITEM(pair, 1))))
      return false;
  }
  return true;
}

/// Returns true if no hook, setting or other driver affects a launch of a function.
bool isAlone(const ShortcutsObject &self, PyObject *function) {
  OwnedRef hooks = attribute(function, kHooks);
  if (!hooks || isTrue(hooks) || !areSettingsUnset(self))
    return false;
  OwnedRef driver = attribute(self.driver, kActive);
  return isTrue(attribute(driver.get(), kIsAlone));
}

/// Returns true if a global that the function's kernels depend on has changed.
bool haveGlobalsChanged(PyObject *function) {
  OwnedRef used = attribute(function, kGlobals);
  if (!used || !PyDict_Check(used.get()))
    return !used;
  Py_ssize_t at = 0;
  PyObject *key, *entry;
  while (PyDict_Next(used.get(), &at, &key, &entry)) {
    PyObject *value, *names;
    if (!PyArg_ParseTuple(entry, "OO!", &value, &PyDict_Type, &names) || !PyTuple_Check(key)) {
      if (!clearError())
        throw Raised();
      return true;
    }
    PyObject *now = PyDict_GetItemWithError(names, PyTuple_GET_ITEM(key, 0));
    if (!now || PyObject_RichCompareBool(now, value, Py_EQ) != 1) {
      if (!clearError())
        throw Raised();
      return true;
    }
  }
  return false;
}

/// Returns the launcher of the registered kernels, which checks itself whether they are current.
OwnedRef current(PyObject *function) {
  OwnedRef shortcut = attribute(function, kShortcut);
  return shortcut && isLauncher(shortcut.get()) && !haveGlobalsChanged(function) ? std::move(shortcut) : nullptr;
}

/// Launches through Triton: `function.run(*args, **keywords, grid=grid, warmup=False)`.
PyObject *callRun(PyObject *run, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords) {
  Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  std::vector<PyObject *> all{nullptr};
  all.insert(all.end(), args, args + count + static_cast<size_t>(named));
  all.insert(all.end(), {grid, Py_False});
  OwnedRef names(PyTuple_New(named + 2));
  if (!names)
    return nullptr;
  for (Py_ssize_t i = 0; i < named; ++i)
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(PyTuple_GET_ITEM(keywords, i)));
  PyTuple_SET_ITEM(names.get(), named, Py_NewRef(kGrid));
  PyTuple_SET_ITEM(names.get(), named + 1, Py_NewRef(kWarmup));
  return PyObject_Vectorcall(run, all.data() + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names.get());
}

/// Returns the grid for Triton's launch after `unknown` was raised.
OwnedRef gridAfter(PyObject *grid) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  OwnedRef found = attribute(value, kGrid);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return found && found.get() != Py_None ? std::move(found) : OwnedRef(Py_NewRef(grid));
}

PyObject *callLaunch(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
  auto &bound = *reinterpret_cast<ShortLaunchObject *>(self);
  auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  const ShortcutsObject &shortcuts = shortcutsOf(bound.shortcuts);
  OwnedRef grid(Py_NewRef(bound.grid)), run(PyObject_GetAttr(bound.function, kRun));
  if (!run)
    return nullptr;
  // `run` may have been replaced.
  bool isOurs = PyMethod_Check(run.get()) && PyMethod_GET_FUNCTION(run.get()) == shortcuts.run;
  OwnedRef shortcut = isOurs && isAlone(shortcuts, bound.function) ? current(bound.function) : nullptr;
  if (shortcut) {
    auto *launcher = reinterpret_cast<LauncherObject *>(shortcut.get());
    if (OwnedRef kernel(launch(launcher, grid.get(), args, count, keywords)); kernel)
      return PyObject_GetAttr(kernel.get(), kOfTriton);
    if (!PyErr_ExceptionMatches(shortcuts.unknown))
      return leave(nullptr);
    grid = gridAfter(grid.get());
  }
  return callRun(run.get(), grid.get(), args, count, keywords);
}

void deallocateLaunch(PyObject *self) {
  auto *bound = reinterpret_cast<ShortLaunchObject *>(self);
  Py_DECREF(bound->shortcuts);
  Py_DECREF(bound->function);
  Py_DECREF(bound->grid);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef launchMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ShortLaunchObject, call), READONLY, nullptr},
    {"grid", T_OBJECT, offsetof(ShortLaunchObject, grid), READONLY, "The grid this launch runs over."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot launchSlots[] = {
    {Py_tp_doc, const_cast<char *>("A stock kernel with a grid: call it to launch.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateLaunch)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, launchMembers},
    {0, nullptr},
};

PyType_Spec launchSpec = {"blockdsl._runtime.ShortLaunch", sizeof(ShortLaunchObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          launchSlots};

/// Implements `function[grid]`.
PyObject *call(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
  if (PyVectorcall_NARGS(flags) != 2 || (keywords && PyTuple_GET_SIZE(keywords) > 0)) {
    PyErr_SetString(PyExc_TypeError, "a kernel takes a grid in brackets, and nothing else");
    return nullptr;
  }
  auto *bound = PyObject_New(ShortLaunchObject, launchType);
  if (!bound)
    return nullptr;
  bound->call = guarded<callLaunch>;
  bound->shortcuts = Py_NewRef(self);
  bound->function = Py_NewRef(args[0]);
  bound->grid = Py_NewRef(args[1]);
  return reinterpret_cast<PyObject *>(bound);
}

PyObject *asMethod(PyObject *self, PyObject *function, PyObject *) {
  return function && function != Py_None ? PyMethod_New(self, function) : Py_NewRef(self);
}

bool areContainers(PyObject *all) {
  if (!PyTuple_Check(all))
    return all == Py_None;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all); ++i)
    if (PyObject *each = PyTuple_GET_ITEM(all, i); !PyDict_Check(each) && !PyList_Check(each))
      return false;
  return true;
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *run, *unknown, *knobs, *quiet, *sets, *untouched, *driver;
  if (!PyArg_ParseTuple(args, "OOOO!OOO:Shortcuts", &run, &unknown, &knobs, &PyTuple_Type, &quiet, &sets, &untouched,
                        &driver))
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(quiet); ++i) {
    PyObject *set, *name;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(quiet, i), "UU", &set, &name))
      return nullptr;
  }
  if (!isGlobalsGuard(sets))
    return nullptr;
  if (!areContainers(untouched)) {
    PyErr_Format(PyExc_TypeError, "what is untouched is a tuple of dicts and lists, or None, got %R", untouched);
    return nullptr;
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  ShortcutsObject &fresh = shortcutsOf(self);
  fresh.call = guarded<call>;
  fresh.run = Py_NewRef(run);
  fresh.unknown = Py_NewRef(unknown);
  fresh.knobs = Py_NewRef(knobs);
  fresh.quiet = Py_NewRef(quiet);
  fresh.sets = Py_NewRef(sets);
  fresh.untouched = Py_NewRef(untouched);
  fresh.driver = Py_NewRef(driver);
  return self;
}

void deallocate(PyObject *self) {
  const ShortcutsObject &old = shortcutsOf(self);
  for (PyObject *each : {old.run, old.unknown, old.knobs, old.quiet, old.sets, old.untouched, old.driver})
    Py_XDECREF(each);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *isAloneNow(PyObject *self, PyObject *function) {
  return PyBool_FromLong(isAlone(shortcutsOf(self), function));
}

PyObject *currentNow(PyObject *, PyObject *function) {
  OwnedRef shortcut = current(function);
  return shortcut ? shortcut.release() : Py_NewRef(Py_None);
}

PyMethodDef methods[] = {
    {"is_alone", guarded<isAloneNow>, METH_O, "Whether a launch of a function is ours to run, and nobody looks on."},
    {"current", guarded<currentNow>, METH_O,
     "The function's launcher, or None where there is none, or a global has changed."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ShortcutsObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("Shortcuts(run, unknown, knobs, quiet, sets, untouched, driver)")},
    {Py_tp_new, reinterpret_cast<void *>(guarded<create>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void *>(asMethod)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"blockdsl._runtime.Shortcuts", sizeof(ShortcutsObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};

} // namespace

PyTypeObject *blockdsl::python::shortcutsType() {
  static PyObject *type = PyType_FromSpec(&spec);
  if (!launchType)
    launchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launchSpec));
  return launchType ? reinterpret_cast<PyTypeObject *>(type) : nullptr;
}
