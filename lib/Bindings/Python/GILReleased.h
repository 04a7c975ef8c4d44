//===- GILReleased.h - Work without the GIL, and its end at interpreter exit --------------------------------------===//
//
// A launch releases the GIL and acquires it again. While the interpreter exits, only the thread that ends it may
// acquire the GIL: CPython up to 3.13 ends any other thread at once, with the launch's arguments on its stack and
// workers that read them; later versions block it forever. So `endLaunches`, run by atexit, stops the launches of other
// threads at their next poll, makes these threads sleep, and lets the exit go on only then. Threads that run Python
// code end as CPython ends them.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_GILRELEASED_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_GILRELEASED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>

namespace blockdsl::python {

/// Releases the GIL on request and acquires it again in the destructor.
class GILReleased {
public:
  GILReleased() = default;
  GILReleased(const GILReleased &) = delete;
  GILReleased &operator=(const GILReleased &) = delete;
  ~GILReleased() { acquire(); }

  void release();
  /// Acquires the GIL. Does not return on a thread that must stay out of an exiting interpreter.
  void acquire();
  /// Acquires the GIL. Returns false on such a thread.
  bool tryAcquire();

private:
  PyThreadState *thread = nullptr;
};

extern std::atomic<bool> isInterpreterEnding;

/// Sleeps forever without the GIL, unless this thread ends the interpreter, which then no longer waits for it.
void stayOut();

/// Stays out if the interpreter exits. Called with the GIL held, before new work starts.
inline void stayOutIfEnding() {
  if (__builtin_expect(isInterpreterEnding.load(std::memory_order_relaxed), false))
    stayOut();
}

/// Calls a Python function that compiles. The exit of the interpreter waits for it for a limited time; if it still runs
/// then, the process ends without the destructors of the libraries that it uses. Does not return if the thread must
/// stay out by then.
PyObject *callCompiler(PyObject *function);

/// Keeps all other threads out of the interpreter and ends their launches. Returns when none runs any more, or false,
/// with an exception set, when a signal handler raises.
bool endLaunches();

/// Registers the update of the counts in children of fork. Called once, before any launch.
void watchForks();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_GILRELEASED_H
