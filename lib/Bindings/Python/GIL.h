//===- GIL.h - Releasing and acquiring the GIL on threads that compile -*- C++ -*-===//
// While the interpreter exits, CPython up to 3.13 ends a thread that acquires the GIL: it unwinds the thread's stack,
// C++ frames included. That aborts the process in a destructor, and where nanobind catches all exceptions. So such a
// thread sleeps instead, as in later versions of CPython.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_BINDINGS_PYTHON_GIL_H
#define BLOCKDSL_BINDINGS_PYTHON_GIL_H

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace blockdsl {

/// Runs a callable that may acquire the GIL, such as any call of Python's. Does not return if the interpreter exits.
template <typename Call> auto callPython(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
}

/// Releases the GIL in a scope.
class ScopedGILRelease {
public:
  ScopedGILRelease() : thread(PyEval_SaveThread()) {}
  ScopedGILRelease(const ScopedGILRelease &) = delete;
  ScopedGILRelease &operator=(const ScopedGILRelease &) = delete;
  ~ScopedGILRelease() { acquire(); }

  /// Runs a callable with the GIL held.
  template <typename Call> void callWithGIL(Call call) {
    acquire();
    call();
    thread = PyEval_SaveThread();
  }

private:
  PyThreadState *thread;

  void acquire() {
    callPython([&] { PyEval_RestoreThread(thread); });
  }
};

} // namespace blockdsl

#endif // BLOCKDSL_BINDINGS_PYTHON_GIL_H
