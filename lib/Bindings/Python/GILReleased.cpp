//===- GILReleased.cpp - Work without the GIL, and its end at interpreter exit ------------------------------------===//

#include "GILReleased.h"

#include "blockdsl/Runtime/Interruption.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <unistd.h>

using namespace blockdsl::python;

namespace {

constexpr auto kTick = std::chrono::milliseconds(2);
/// Longest wait for compilations: LLVM cannot be interrupted.
constexpr auto kPatience = std::chrono::milliseconds(500);

/// The thread that ends the interpreter, which may still acquire the GIL.
std::atomic<const void *> endingThread{nullptr};
/// Number of threads in a kind of work.
struct Count {
  std::atomic<int> all{0};
  void change(int by, int &own) {
    own += by;
    all.fetch_add(by);
  }
};

/// Threads that launch without the GIL and will acquire it again, and threads that compile.
Count outside, compiling;
/// The part of this thread, which may be more than 1: a signal handler may launch in the middle of a launch.
thread_local int ownOutside = 0, ownCompiling = 0;

const void *thisThread() {
  static thread_local char mark;
  return &mark;
}

/// Resets the counts in a child of fork, which has one thread.
void resetInChild() {
  outside.all.store(ownOutside);
  compiling.all.store(ownCompiling);
}

bool mustStayOut() {
  return isInterpreterEnding.load(std::memory_order_relaxed) && endingThread.load() != thisThread();
}

/// Makes the process exit without the exit handlers that are registered already, such as the destructors of LLVM.
void endWithoutDestructors() {
#if defined(__GLIBC__)
  on_exit(
      [](int status, void *) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
#endif
}

[[noreturn]] void sleepForEver() {
  for (;;)
    pause();
}

} // namespace

std::atomic<bool> blockdsl::python::isInterpreterEnding{false};

void blockdsl::python::stayOut() {
  if (!mustStayOut())
    return;
  PyEval_SaveThread();
  outside.change(-ownOutside, ownOutside);
  compiling.change(-ownCompiling, ownCompiling);
  sleepForEver();
}

PyObject *blockdsl::python::callCompiler(PyObject *function) {
  stayOutIfEnding();
  compiling.change(1, ownCompiling);
  PyObject *result = PyObject_CallNoArgs(function);
  compiling.change(-1, ownCompiling);
  stayOutIfEnding();
  return result;
}

void GILReleased::release() {
  outside.change(1, ownOutside);
  thread = PyEval_SaveThread();
}

bool GILReleased::tryAcquire() {
  if (!thread)
    return true;
  if (mustStayOut())
    return false;
  // endLaunches waits for threads that have passed the check above, so they get the GIL.
  PyEval_RestoreThread(thread);
  thread = nullptr;
  outside.change(-1, ownOutside);
  return true;
}

void GILReleased::acquire() {
  if (tryAcquire())
    return;
  outside.change(-1, ownOutside);
  sleepForEver();
}

void blockdsl::python::watchForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, resetInChild);
  (void)registered; // On ENOMEM a child waits at its exit for threads that it does not have.
}

bool blockdsl::python::endLaunches() {
  endingThread.store(thisThread());
  isInterpreterEnding.store(true);
  runtime::stopLaunches();
  auto start = std::chrono::steady_clock::now();
  bool isInterrupted = false;
  // Without this thread's own compilations, if this runs in a signal handler.
  auto isCompiled = [] { return compiling.all.load() > ownCompiling; };
  auto isPatient = [&] { return std::chrono::steady_clock::now() - start <= kPatience; };
  while (!isInterrupted && (outside.all.load() > ownOutside || (isCompiled() && isPatient()))) {
    Py_BEGIN_ALLOW_THREADS;
    std::this_thread::sleep_for(kTick);
    Py_END_ALLOW_THREADS;
    isInterrupted = PyErr_CheckSignals() != 0;
  }
  if (isCompiled())
    endWithoutDestructors();
  return !isInterrupted;
}
