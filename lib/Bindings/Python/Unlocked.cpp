//===- Unlocked.cpp - Work without the interpreter's lock ---------------------------------------------------------===//

#include "Unlocked.h"

#include "blockdsl/Runtime/Interruption.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

using namespace blockdsl::python;

namespace {

constexpr auto kTick = std::chrono::milliseconds(2);

/// The one thread that may go on then.
std::atomic<const void *> endingThread{nullptr};
/// Threads that work without the lock, and will want it back.
std::atomic<int> outside{0};
/// How many of them this thread is: a signal's handler may launch in the middle of a launch.
thread_local int ownOutside = 0;

const void *thisThread() {
  static thread_local char mark;
  return &mark;
}

void count(int change) {
  ownOutside += change;
  outside.fetch_add(change);
}

/// A child of fork has one thread.
void forgetOthersInChild() { outside.store(ownOutside); }

bool mustStayOut() {
  return isInterpreterEnding.load(std::memory_order_relaxed) && endingThread.load() != thisThread();
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
  sleepForEver();
}

void Unlocked::unlock() {
  count(1);
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
  count(-1);
  return true;
}

void Unlocked::lock() {
  if (tryLock())
    return;
  count(-1);
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
  // Ours, if this runs in a signal's handler.
  while (outside.load() > ownOutside) {
    Py_BEGIN_ALLOW_THREADS;
    std::this_thread::sleep_for(kTick);
    Py_END_ALLOW_THREADS;
    if (PyErr_CheckSignals() != 0)
      return false;
  }
  return true;
}
