//===- LauncherType.cpp - Python types of the launch path ---------------------------------------------------------===//
//
// `Launcher` and the result of `launcher[grid]`. They use CPython's C API directly, because the pair is created and
// called in every launch.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GlobalsGuard.h"
#include "Launcher.h"
#include "Tracebacks.h"

#include <algorithm>
#include <cstring>
#include <structmember.h>

using namespace blockdsl::python;

namespace {

/// The result of `launcher[grid]`, which calls the launcher with the grid.
struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *launcher;
  PyObject *grid;
};

/// The last deallocated object, for reuse: most programs launch one kernel at a time.
BoundObject *spare = nullptr;
PyTypeObject *boundType = nullptr;
PyTypeObject *launcherType = nullptr;

PyObject *callBound(PyObject *self, PyObject *const *args, size_t count, PyObject *keywords) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  return leave(launch(reinterpret_cast<LauncherObject *>(bound->launcher), bound->grid, args, PyVectorcall_NARGS(count),
                      keywords));
}

void deallocateBound(PyObject *self) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  Py_DECREF(bound->launcher);
  Py_DECREF(bound->grid);
  if (!spare) {
    spare = bound;
    return;
  }
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *subscript(PyObject *self, PyObject *grid) {
  BoundObject *bound = spare;
  if (bound) {
    spare = nullptr;
    // Its reference to the type was kept, so the new one is dropped.
    PyObject_Init(reinterpret_cast<PyObject *>(bound), boundType);
    Py_DECREF(boundType);
  } else {
    bound = PyObject_New(BoundObject, boundType);
    if (!bound)
      return nullptr;
  }
  bound->call = guarded<callBound>;
  Py_INCREF(self);
  bound->launcher = self;
  Py_INCREF(grid);
  bound->grid = grid;
  return reinterpret_cast<PyObject *>(bound);
}

PyMemberDef boundMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundObject, call), READONLY, nullptr},
    {"grid", T_OBJECT, offsetof(BoundObject, grid), READONLY, "The grid this launch runs over."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot boundSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with a grid: call it to launch.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateBound)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, boundMembers},
    {0, nullptr},
};

PyType_Spec boundSpec = {"blockdsl._runtime.BoundLaunch", sizeof(BoundObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         boundSlots};

LauncherState *stateOf(PyObject *self) { return reinterpret_cast<LauncherObject *>(self)->state; }

/// Reads a parameter from (name, role, default or (), attribute mask, wanted).
bool parseParameter(PyObject *item, LauncherState &state) {
  PyObject *name, *fallback;
  int role, expected;
  unsigned mask;
  if (!PyArg_ParseTuple(item, "UiO!IC", &name, &role, &PyTuple_Type, &fallback, &mask, &expected))
    return false;
  if (role < 0 || role > static_cast<int>(Role::Stream) || PyTuple_GET_SIZE(fallback) > 1 ||
      !std::strchr("nifpv", expected)) {
    PyErr_SetString(PyExc_ValueError, "no such parameter");
    return false;
  }
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  PyObject *value = PyTuple_GET_SIZE(fallback) ? PyTuple_GET_ITEM(fallback, 0) : nullptr;
  Py_XINCREF(value);
  if (expected == 'v')
    state.variadic = state.parameters.size();
  state.parameters.push_back({name, static_cast<Role>(role), value, mask, expected == 'v' ? 'n' : expected});
  return true;
}

int initLauncher(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"parameters", "by_type", nullptr};
  PyObject *parameters;
  int isKeyedByType = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|p:Launcher", const_cast<char **>(names), &PyTuple_Type,
                                   &parameters, &isKeyedByType))
    return -1;
  if (stateOf(self)) {
    PyErr_SetString(PyExc_RuntimeError, "a Launcher is initialized once");
    return -1;
  }
  if (PyTuple_GET_SIZE(parameters) > kMaxParameters) {
    PyErr_Format(PyExc_ValueError, "a kernel has at most %d parameters, options included; this one has %zd",
                 kMaxParameters, PyTuple_GET_SIZE(parameters));
    return -1;
  }
  auto *state = reinterpret_cast<LauncherObject *>(self)->state = new LauncherState;
  state->isKeyedByType = isKeyedByType != 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parameters); ++i)
    if (!parseParameter(PyTuple_GET_ITEM(parameters, i), *state))
      return -1;
  auto isOption = [](const Parameter &parameter) { return parameter.role >= Role::Option; };
  auto firstOption = std::find_if(state->parameters.begin(), state->parameters.end(), isOption);
  state->positional = static_cast<size_t>(firstOption - state->parameters.begin());
  return 0;
}

int traverseLauncher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!stateOf(self))
    return 0;
  Py_VISIT(stateOf(self)->preRunHooks);
  Py_VISIT(stateOf(self)->globalsGuard);
  for (const Parameter &parameter : stateOf(self)->parameters)
    Py_VISIT(parameter.fallback);
  for (const auto &entry : stateOf(self)->table.all()) {
    for (PyObject *kernel : entry->kernels)
      Py_VISIT(kernel);
    for (const Entry::Merged &group : entry->merged)
      for (PyObject *kernel : group.kernels)
        Py_VISIT(kernel);
    for (const OwnedRef &object : entry->constexprs)
      Py_VISIT(object.get());
  }
  return 0;
}

int clearLauncher(PyObject *self) {
  if (!stateOf(self))
    return 0;
  stateOf(self)->table.clear();
  Py_CLEAR(stateOf(self)->globalsGuard);
  Py_CLEAR(stateOf(self)->preRunHooks);
  for (Parameter &parameter : stateOf(self)->parameters)
    Py_CLEAR(parameter.fallback);
  return 0;
}

void deallocateLauncher(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clearLauncher(self);
  if (stateOf(self))
    for (const Parameter &parameter : stateOf(self)->parameters)
      Py_DECREF(parameter.name);
  delete stateOf(self);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *compileOnly(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  return launch(reinterpret_cast<LauncherObject *>(self), nullptr, args, static_cast<size_t>(count), keywords);
}

PyObject *describeOnly(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  return describe(reinterpret_cast<LauncherObject *>(self), args, static_cast<size_t>(count), keywords);
}

PyObject *forget(PyObject *self, PyObject *) {
  if (stateOf(self)) {
    stateOf(self)->table.clear();
    Py_CLEAR(stateOf(self)->globalsGuard);
  }
  Py_RETURN_NONE;
}

PyObject *watch(PyObject *self, PyObject *guard) {
  if (!stateOf(self)) {
    PyErr_SetString(PyExc_RuntimeError, "Launcher.__init__ was not called");
    return nullptr;
  }
  if (!isGlobalsGuard(guard))
    return nullptr;
  Py_XSETREF(stateOf(self)->globalsGuard, Py_NewRef(guard));
  Py_RETURN_NONE;
}

/// Returns the list of functions called before each launch, which is created by the first call.
PyObject *preRunHooks(PyObject *self, void *) {
  if (!stateOf(self)) {
    PyErr_SetString(PyExc_RuntimeError, "Launcher.__init__ was not called");
    return nullptr;
  }
  PyObject *&hooks = stateOf(self)->preRunHooks;
  if (!hooks)
    hooks = PyList_New(0);
  return Py_XNewRef(hooks);
}

PyGetSetDef launcherProperties[] = {
    {"pre_run_hooks", preRunHooks, nullptr, "Functions that are called before each launch, with its arguments.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

/// Implements `launcher[grid]` of a class with its own `run`: `run(*args, grid=grid, warmup=False, **kwargs)`, as in
/// Triton.
PyObject *subscriptThroughRun(PyObject *self, PyObject *grid) {
  PyObject *functools = PyImport_ImportModule("functools");
  PyObject *partial = functools ? PyObject_GetAttrString(functools, "partial") : nullptr;
  PyObject *run = partial ? PyObject_GetAttrString(self, "run") : nullptr;
  PyObject *arguments = run ? PyTuple_Pack(1, run) : nullptr;
  PyObject *keywords = Py_BuildValue("{sOsO}", "grid", grid, "warmup", Py_False);
  PyObject *result = arguments && keywords ? PyObject_Call(partial, arguments, keywords) : nullptr;
  for (PyObject *each : {functools, partial, run, arguments, keywords})
    Py_XDECREF(each);
  return result;
}

/// Returns true if an attribute differs between two classes.
bool areDifferent(PyTypeObject *one, PyTypeObject *other, const char *name) {
  PyObject *first = PyObject_GetAttrString(reinterpret_cast<PyObject *>(one), name);
  PyErr_Clear();
  PyObject *second = PyObject_GetAttrString(reinterpret_cast<PyObject *>(other), name);
  PyErr_Clear();
  Py_XDECREF(first);
  Py_XDECREF(second);
  return first != second;
}

/// Chooses the operator `launcher[grid]` of a derived class. A direct subclass keeps Launcher's, although it may define
/// `__getitem__` for torch's Dynamo and other symbolic execution. An indirect subclass gets its own operator if it
/// overrides `__getitem__` or `run`.
PyObject *initSubclass(PyObject *object, PyObject *const *, Py_ssize_t, PyObject *) {
  auto *type = reinterpret_cast<PyTypeObject *>(object);
  PyTypeObject *first = type;
  while (first->tp_base && first->tp_base != launcherType)
    first = first->tp_base;
  if (!areDifferent(type, first, "__getitem__"))
    reinterpret_cast<PyHeapTypeObject *>(type)->as_mapping.mp_subscript =
        areDifferent(type, first, "run") ? subscriptThroughRun : subscript;
  Py_RETURN_NONE;
}

PyMethodDef launcherMethods[] = {
    {"__init_subclass__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(initSubclass)),
     METH_CLASS | METH_FASTCALL | METH_KEYWORDS, "Chooses the operator `launcher[grid]` of a derived class."},
    {"_compile_only", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<compileOnly>)),
     METH_FASTCALL | METH_KEYWORDS, "The kernel that a launch with these arguments would run."},
    {"_describe", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<describeOnly>)),
     METH_FASTCALL | METH_KEYWORDS, "Values and attributes for which a launch with these arguments would be compiled."},
    {"_forget", forget, METH_NOARGS, "Drops all compiled kernels and their guard."},
    {"_watch", watch, METH_O, "Sets the guard of the compiled kernels: globals on whose values they depend."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("Launcher(parameters, by_type=False): binds, specializes, looks up and launches.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(guarded<initLauncher>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateLauncher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
    {Py_tp_methods, launcherMethods},
    {Py_tp_getset, launcherProperties},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {0, nullptr},
};

PyType_Spec launcherSpec = {"blockdsl._runtime.Launcher", sizeof(LauncherObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, launcherSlots};

} // namespace

bool blockdsl::python::addLauncherType(PyObject *module) {
  boundType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  Py_XINCREF(launcherType);
  return boundType && launcherType &&
         PyModule_AddObject(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) == 0;
}

bool blockdsl::python::isLauncher(PyObject *object) { return launcherType && PyObject_TypeCheck(object, launcherType); }
