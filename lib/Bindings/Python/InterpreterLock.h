//===- InterpreterLock.h - The interpreter's lock on threads that compile -*- C++ -*-===//
// CPython up to 3.13 ends a thread that asks for the lock once the interpreter ends: it unwinds the thread's stack,
// with all the C++ on it. That aborts where a destructor asks, or where nanobind catches whatever comes. So wherever a
// thread that compiles may ask below C++ of ours, it sleeps instead, as later versions have it.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_BINDINGS_PYTHON_INTERPRETERLOCK_H
#define BLOCKDSL_BINDINGS_PYTHON_INTERPRETERLOCK_H

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace blockdsl {

/// Calls what may ask for the lock: anything of Python's.
template <typename Call> auto stayingAlive(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
}

/// Gives up the lock, and has it again when it dies.
class Released {
public:
  Released() : thread(PyEval_SaveThread()) {}
  Released(const Released &) = delete;
  Released &operator=(const Released &) = delete;
  ~Released() { lock(); }

  /// Calls something with the lock held.
  template <typename Call> void locked(Call call) {
    lock();
    call();
    thread = PyEval_SaveThread();
  }

private:
  PyThreadState *thread;

  void lock() {
    stayingAlive([&] { PyEval_RestoreThread(thread); });
  }
};

} // namespace blockdsl

#endif // BLOCKDSL_BINDINGS_PYTHON_INTERPRETERLOCK_H
