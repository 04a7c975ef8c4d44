//===- Unlocked.h - Work without the interpreter's lock -----------------------------------------------------------===//
//
// A launch gives up the interpreter's lock and takes it back. When the interpreter ends, a thread other than the one
// that ends it must not ask for the lock any more: CPython up to 3.13 ends such a thread on the spot, with the launch's
// arguments on its stack and workers that read them; later versions let it wait for ever. So the interpreter's end is
// told here first (`endLaunches`, run by atexit): launches of other threads end at their next poll, their threads sleep
// from then on, and only then the interpreter goes on to end. A thread that stays in Python ends as Python has it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_UNLOCKED_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_UNLOCKED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>

namespace blockdsl::python {

/// Gives up the lock where asked to, and has it again when it dies.
class Unlocked {
public:
  Unlocked() = default;
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;
  ~Unlocked() { lock(); }

  void unlock();
  /// Never returns where the thread has to stay out of the interpreter.
  void lock();
  /// False where it has to.
  bool tryLock();

private:
  PyThreadState *thread = nullptr;
};

extern std::atomic<bool> isInterpreterEnding;

/// Sleeps for ever, without the lock and no longer waited for, unless this is the thread that ends the interpreter.
void stayOut();

/// For a thread that has the lock and is about to begin something.
inline void stayOutIfEnding() {
  if (__builtin_expect(isInterpreterEnding.load(std::memory_order_relaxed), false))
    stayOut();
}

/// Calls a function of Python's that compiles. The interpreter's end waits for it, though not for long; if it still
/// runs then, the process ends without taking apart the libraries that it runs in. Does not return where the thread has
/// to stay out by then.
PyObject *callCompiler(PyObject *function);

/// Has all other threads stay out, ends their launches, and returns when none runs any more, or when a signal's handler
/// raises: then false, with an exception set.
bool endLaunches();

/// Once a process, before any launch: a child of fork has none of its parent's other threads.
void watchForks();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_UNLOCKED_H
