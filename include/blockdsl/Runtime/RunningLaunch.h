//===- RunningLaunch.h - The launch whose programs a thread runs --------------------------------------------------===//
//
// For handlers of signals: a fault on a thread that runs a kernel is reported with the launch's kernel and arguments.
// The report itself is in lib/Bindings/Python/FaultReport.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_RUNNINGLAUNCH_H
#define BLOCKDSL_RUNTIME_RUNNINGLAUNCH_H

#include "blockdsl/Runtime/KernelStack.h"
#include "blockdsl/Runtime/LaunchContext.h"
#include "blockdsl/Runtime/ThreadOwned.h"

#include <csignal>
#include <memory>

namespace blockdsl::runtime {

/// A stack for handlers of signals, for a thread that has none: the thread's own stack may be exhausted.
class SignalStack {
public:
  SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack();

private:
  std::unique_ptr<char[]> memory;
  bool isSet = false;
};

/// What a thread keeps for its launches.
struct ThreadRecord {
  /// The lowest address of the stack that it runs on.
  uintptr_t lowest = lowestStackAddress();
  /// For launches while the thread's own stack has no room for them; null before the first.
  std::unique_ptr<KernelStack> kernels;
  SignalStack stack;
  /// Null while the thread runs no program.
  const LaunchContext *volatile launch = nullptr;
};

/// Calls a function where there is room for a launch: here, or on a stack of the thread's for that. False, without
/// having called it, where there is no memory for one. The function must not throw.
bool callWithRoom(void (*function)(void *), void *argument);

/// Makes a launch the one whose programs the calling thread runs, for as long as this lives; none with a null pointer.
class RunningLaunch {
public:
  explicit RunningLaunch(const LaunchContext *launch) : thread(ThreadOwned<ThreadRecord>::get()) {
    if (!thread)
      return;
    before = thread->launch;
    thread->launch = launch;
  }
  RunningLaunch(const RunningLaunch &) = delete;
  RunningLaunch &operator=(const RunningLaunch &) = delete;
  ~RunningLaunch() {
    if (thread)
      thread->launch = before;
  }

private:
  ThreadRecord *const thread;
  const LaunchContext *before = nullptr;
};

/// The launch whose programs the calling thread runs, or null. Safe in a signal's handler.
inline const LaunchContext *runningLaunch() {
  const ThreadRecord *thread = ThreadOwned<ThreadRecord>::find();
  return thread ? thread->launch : nullptr;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_RUNNINGLAUNCH_H
