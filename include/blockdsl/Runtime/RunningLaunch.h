//===- RunningLaunch.h - Launch whose programs the current thread runs --------------------------------------------===//
//
// Signal handlers read it to report a fault in a kernel with the launch's kernel and arguments. The report itself is in
// lib/Bindings/Python/FaultReport.cpp.
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

/// An alternate signal stack for a thread that has none, because its own stack may be exhausted.
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

/// State of a thread that launches or runs programs.
struct ThreadRecord {
  /// Lowest address of the current stack.
  uintptr_t lowest = lowestStackAddress();
  /// Stack for launches that do not fit on the thread's own; null before the first one.
  std::unique_ptr<KernelStack> kernels;
  SignalStack stack;
  /// The running launch; null if the thread runs no program.
  const LaunchContext *volatile launch = nullptr;
};

/// Calls a function on a stack with room for a launch: the current one, or else an additional stack of the thread.
/// Returns false without a call if there is no memory for a stack. The function must not throw.
bool callWithRoom(void (*function)(void *), void *argument);

/// Sets the running launch of the calling thread in a scope; null for none.
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

/// Returns the running launch of the calling thread, or null. Async-signal-safe.
inline const LaunchContext *runningLaunch() {
  const ThreadRecord *thread = ThreadOwned<ThreadRecord>::find();
  return thread ? thread->launch : nullptr;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_RUNNINGLAUNCH_H
