//===- Unlocked.cpp - Work without the interpreter's lock ---------------------------------------------------------===//

#include "Unlocked.h"

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
/// For compilations: LLVM cannot be interrupted.
constexpr auto kPatience = std::chrono::milliseconds(500);

/// The one thread that may go on then.
std::atomic<const void *> endingThread{nullptr};
/// How many threads are somewhere.
struct Count {
  std::atomic<int> all{0};
  void change(int by, int &own) {
    own += by;
    all.fetch_add(by);
  }
};

/// Those that launch without the lock and will want it back, and those that compile.
Count outside, compiling;
/// How many of them this thread is: a signal's handler may launch in the middle of a launch.
thread_local int ownOutside = 0, ownCompiling = 0;

const void *thisThread() {
  static thread_local char mark;
  return &mark;
}

/// A child of fork has one thread.
void forgetOthersInChild() {
  outside.all.store(ownOutside);
  compiling.all.store(ownCompiling);
}

bool mustStayOut() {
  return isInterpreterEnding.load(std::memory_order_relaxed) && endingThread.load() != thisThread();
}

/// Has the process end without running what is registered already for its end, such as the destructors of LLVM.
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

void Unlocked::unlock() {
  outside.change(1, ownOutside);
  thread = PyEval_SaveThread();
}

bool Unlocked::tryLock() {
  if (!thread)
    return true;
  if (mustStayOut())
    return false;
  // Who comes past this question is waited for, and gets the lock.
  PyEval_RestoreThread(thread);
  thread = nullptr;
  outside.change(-1, ownOutside);
  return true;
}

void Unlocked::lock() {
  if (tryLock())
    return;
  outside.change(-1, ownOutside);
  sleepForEver();
}

void blockdsl::python::watchForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, forgetOthersInChild);
  (void)registered; // ENOMEM at most; then a child that ends waits for threads it does not have.
}

bool blockdsl::python::endLaunches() {
  endingThread.store(thisThread());
  isInterpreterEnding.store(true);
  runtime::stopLaunches();
  auto start = std::chrono::steady_clock::now();
  bool isInterrupted = false;
  // Ours do not count, if this runs in a signal's handler.
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
