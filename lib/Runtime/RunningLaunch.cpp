//===- RunningLaunch.cpp - Launch whose programs the current thread runs ------------------------------------------===//

#include "blockdsl/Runtime/RunningLaunch.h"

#include <new>
#include <utility>

using namespace blockdsl::runtime;

/// Includes the saved registers, 11 KB on a CPU with AVX-512 and AMX.
static constexpr size_t kStackBytes = 1 << 16;

bool blockdsl::runtime::callWithRoom(void (*function)(void *), void *argument) {
  ThreadRecord *thread = ThreadOwned<ThreadRecord>::get();
  if (!thread || hasRoomForLaunch(thread->lowest)) {
    function(argument);
    return true;
  }
  // Taken already if this runs in a signal handler during another launch.
  std::unique_ptr<KernelStack> stack = std::move(thread->kernels);
  if (!stack)
    stack.reset(new (std::nothrow) KernelStack);
  if (!stack || !*stack)
    return false;
  uintptr_t before = std::exchange(thread->lowest, stack->lowest());
  stack->call(function, argument);
  thread->lowest = before;
  thread->kernels = std::move(stack);
  return true;
}

SignalStack::SignalStack() {
  stack_t found{};
  if (sigaltstack(nullptr, &found) != 0 || !(found.ss_flags & SS_DISABLE))
    return;
  memory.reset(new (std::nothrow) char[kStackBytes]);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = kStackBytes;
  isSet = memory && sigaltstack(&stack, nullptr) == 0;
}

SignalStack::~SignalStack() {
  stack_t found{}, none{};
  none.ss_flags = SS_DISABLE;
  // Kept if another stack has been set since.
  if (isSet && sigaltstack(nullptr, &found) == 0 && found.ss_sp == memory.get())
    sigaltstack(&none, nullptr);
}
