//===- TritonLaunch.cpp - Launches by Triton's runtime ------------------------------------------------------------===//
//
// The Python type `_runtime.TritonLaunch`. Triton calls it with the grid, the stream, the kernel, hooks, and all
// arguments; those that the kernel uses are passed to its Launcher.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Launcher.h"
#include "Tracebacks.h"

#include <cstddef>
#include <cstring>
#include <structmember.h>
#include <vector>

using namespace blockdsl::python;

namespace {

/// Created when the module is loaded, so that no launch fails for lack of memory here.
PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
PyObject *const kDataPointer = name("data_ptr"), *const kItem = name("item"), *const kCalls = name("calls");

struct TritonLaunchObject {
  PyObject_HEAD vectorcallfunc call;
  /// Forms of argument lists, of different lengths. Each is a tuple with an element for every argument: whether it is
  /// used, or an ellipsis for a number.
  PyObject *forms;
};

/// Positions of the values that Triton passes before the arguments.
enum Position : size_t { GridX, GridY, GridZ, Stream, Function, Metadata, LaunchMetadata, EnterHook, ExitHook, First };

PyObject *formsOf(PyObject *self) { return reinterpret_cast<TritonLaunchObject *>(self)->forms; }

/// The arguments that are passed on. Few launches have more than the inline storage.
class LaunchValues {
public:
  void add(PyObject *value) {
    if (count < kInline)
      inlineValues[count] = value;
    else if (count == kInline)
      all.assign(inlineValues, inlineValues + kInline);
    if (count >= kInline)
      all.push_back(value);
    ++count;
  }
  /// Adds a number. Like Triton's launchers it accepts any object that converts to one, such as a tensor with one
  /// element.
  bool addNumber(PyObject *value) {
    if (PyLong_Check(value) || PyFloat_Check(value) || !findAttribute(value, kDataPointer))
      return add(value), true;
    OwnedRef number(PyObject_CallMethodNoArgs(value, kItem));
    if (!number)
      return false;
    add(number.get());
    numbers.push_back(std::move(number));
    return true;
  }
  PyObject *const *data() const { return count > kInline ? all.data() : inlineValues; }
  size_t size() const { return count; }

private:
  static constexpr size_t kInline = 64;
  PyObject *inlineValues[kInline];
  std::vector<PyObject *> all;
  std::vector<OwnedRef> numbers;
  size_t count = 0;
};

/// Adds an argument, or the elements of a tuple. Returns false with an exception set if a tuple has another form.
bool take(PyObject *form, PyObject *value, LaunchValues &values) {
  if (form == Py_Ellipsis)
    return values.addNumber(value);
  if (form == Py_True)
    values.add(value);
  if (!PyTuple_Check(form))
    return true;
  Py_ssize_t size = PyTuple_GET_SIZE(form);
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != size) {
    PyErr_Format(PyExc_TypeError, "the kernel was compiled for a tuple of %zd elements here, got %R", size, value);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!take(PyTuple_GET_ITEM(form, i), PyTuple_GET_ITEM(value, i), values))
      return false;
  return true;
}

bool takeAll(PyObject *forms, PyObject *const *args, size_t count, LaunchValues &values) {
  for (Py_ssize_t f = 0; f < PyTuple_GET_SIZE(forms); ++f) {
    PyObject *form = PyTuple_GET_ITEM(forms, f);
    if (static_cast<size_t>(PyTuple_GET_SIZE(form)) != count)
      continue;
    for (size_t i = 0; i < count; ++i)
      if (!take(PyTuple_GET_ITEM(form, static_cast<Py_ssize_t>(i)), args[i], values))
        return false;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "the kernel takes %zd arguments, got %zu", PyTuple_GET_SIZE(PyTuple_GET_ITEM(forms, 0)),
               count);
  return false;
}

/// Returns true if the launcher has a parameter for the stream. Kernels that Triton compiles for the CPU have none.
bool takesStream(const LauncherObject &launcher) {
  return launcher.state && !launcher.state->parameters.empty() &&
         launcher.state->parameters.back().role == Role::Stream;
}

bool callHook(PyObject *hook, PyObject *metadata) {
  if (isEmptyHook(hook))
    return true;
  PyObject *result = PyObject_CallOneArg(hook, metadata);
  Py_XDECREF(result);
  return result != nullptr;
}

PyObject *call(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
  auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  if (count < First || (keywords && PyTuple_GET_SIZE(keywords) > 0)) {
    PyErr_SetString(PyExc_TypeError, "a launch takes the grid, stream, function, metadata and hooks, then arguments, "
                                     "all by position");
    return nullptr;
  }
  if (!isLauncher(args[Function])) {
    PyErr_Format(PyExc_TypeError, "the function of a launch is one that was loaded for the CPU, got %R",
                 args[Function]);
    return nullptr;
  }
  LaunchValues values;
  if (!takeAll(formsOf(self), args + First, count - First, values) || !callHook(args[EnterHook], args[LaunchMetadata]))
    return nullptr;
  auto *launcher = reinterpret_cast<LauncherObject *>(args[Function]);
  size_t positional = values.size();
  OwnedRef names(takesStream(*launcher) ? Py_BuildValue("(s)", "stream") : nullptr);
  if (names)
    values.add(args[Stream]);
  else if (PyErr_Occurred())
    return nullptr;
  OwnedRef kernel(leave(launchOver(launcher, args + GridX, values.data(), positional, names.get())));
  if (!kernel || !callHook(args[ExitHook], args[LaunchMetadata]))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *forms;
  if (!PyArg_ParseTuple(args, "O!:TritonLaunch", &PyTuple_Type, &forms))
    return nullptr;
  bool isGood = PyTuple_GET_SIZE(forms) > 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(forms); ++i)
    isGood &= PyTuple_Check(PyTuple_GET_ITEM(forms, i));
  if (!isGood) {
    PyErr_SetString(PyExc_ValueError, "TritonLaunch takes a tuple of tuples");
    return nullptr;
  }
  auto *self = reinterpret_cast<TritonLaunchObject *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->call = guarded<call>;
  self->forms = Py_NewRef(forms);
  return reinterpret_cast<PyObject *>(self);
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_DECREF(formsOf(self));
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TritonLaunchObject, call), READONLY, nullptr},
    {"forms", T_OBJECT, offsetof(TritonLaunchObject, forms), READONLY, "Which arguments are taken, for each length."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("TritonLaunch(forms): takes a launch as Triton's runtime makes it.")},
    {Py_tp_new, reinterpret_cast<void *>(guarded<create>)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"blockdsl._runtime.TritonLaunch", sizeof(TritonLaunchObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};

} // namespace

bool blockdsl::python::isEmptyHook(PyObject *hook) {
  if (hook == Py_None)
    return true;
  if (std::strcmp(Py_TYPE(hook)->tp_name, "HookChain") != 0)
    return false;
  OwnedRef calls = findAttribute(hook, kCalls);
  return calls && PyList_CheckExact(calls.get()) && PyList_GET_SIZE(calls.get()) == 0;
}

PyTypeObject *blockdsl::python::tritonLaunchType() {
  static PyObject *type = PyType_FromSpec(&spec);
  return reinterpret_cast<PyTypeObject *>(type);
}
