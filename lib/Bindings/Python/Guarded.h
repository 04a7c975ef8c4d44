//===- Guarded.h - Conversion of C++ exceptions to Python exceptions ----------------------------------------------===//
//
// CPython calls functions as C functions, so that a C++ exception that leaves one ends the process. Every function that
// may allocate is registered as `guarded<function>`, which raises a Python exception instead.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_GUARDED_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_GUARDED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace blockdsl::python {

/// An owned reference.
struct Release {
  void operator()(PyObject *object) const { Py_DECREF(object); }
};
using OwnedRef = std::unique_ptr<PyObject, Release>;

/// Returns true if the current Python exception concerns the process instead of an object: KeyboardInterrupt,
/// SystemExit or MemoryError. Such exceptions are propagated and never replaced.
inline bool isErrorOfProcess() {
  PyObject *error = PyErr_Occurred();
  return error && (PyErr_GivenExceptionMatches(error, PyExc_MemoryError) ||
                   !PyErr_GivenExceptionMatches(error, PyExc_Exception));
}

/// Clears the current exception, if any. Returns false, with the exception still set, if it must be propagated.
inline bool clearError() {
  if (__builtin_expect(isErrorOfProcess(), false))
    return false;
  PyErr_Clear();
  return true;
}

/// Sets the current Python exception aside in a scope. Afterwards it replaces any exception of the scope.
class ErrorKept {
public:
  ErrorKept() { PyErr_Fetch(&type, &value, &trace); }
  ErrorKept(const ErrorKept &) = delete;
  ErrorKept &operator=(const ErrorKept &) = delete;
  ~ErrorKept() {
    if (type)
      PyErr_Restore(type, value, trace);
  }

private:
  PyObject *type, *value, *trace;
};

/// Thrown after a Python exception is set, by functions that cannot return an error.
struct Raised {};

/// Returns an attribute, or null without an exception if the object has none. Throws `Raised` on an error of the
/// process.
inline OwnedRef findAttribute(PyObject *object, PyObject *name) {
  OwnedRef found(name ? PyObject_GetAttr(object, name) : nullptr);
  if (!found && !clearError())
    throw Raised();
  return found;
}

template <auto function> struct Guarded;

template <typename Result, typename... Args, Result (*function)(Args...)> struct Guarded<function> {
  static Result call(Args... args) {
    try {
      return function(args...);
    } catch (const Raised &) {
    } catch (const std::bad_alloc &) {
      PyErr_NoMemory();
    } catch (const std::exception &error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    if constexpr (std::is_pointer_v<Result>)
      return nullptr;
    else
      return -1;
  }
};

/// A function that CPython may call. It returns null on failure, or -1 if it returns an int.
template <auto function> constexpr auto guarded = &Guarded<function>::call;

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_GUARDED_H
