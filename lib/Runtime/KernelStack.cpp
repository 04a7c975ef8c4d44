//===- KernelStack.cpp - Additional stacks for kernels ------------------------------------------------------------===//

#include "blockdsl/Runtime/KernelStack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

using namespace blockdsl::runtime;

namespace {

/// Large enough for Python's signal handlers in addition to a kernel.
constexpr size_t kBytes = size_t(1) << 20;

struct Switch {
  void (*function)(void *);
  void *argument;
  ucontext_t caller, callee;
};

/// Entry point of a context, whose arguments have 32 bits.
void enter(unsigned low, unsigned high) {
  auto *transfer = reinterpret_cast<Switch *>(uintptr_t(high) << 32 | low);
  transfer->function(transfer->argument);
}

} // namespace

uintptr_t blockdsl::runtime::lowestStackAddress() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *lowest = nullptr;
  size_t bytes = 0, guard = 0;
  bool isKnown =
      pthread_attr_getstack(&attributes, &lowest, &bytes) == 0 && pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  return isKnown ? reinterpret_cast<uintptr_t>(lowest) + guard : 0;
}

KernelStack::KernelStack() {
  void *mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED)
    return;
  memory = mapped;
  mprotect(memory, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
}

KernelStack::~KernelStack() {
  if (memory)
    munmap(memory, kBytes);
}

void KernelStack::call(void (*function)(void *), void *argument) const {
  Switch transfer{function, argument, {}, {}};
  getcontext(&transfer.callee);
  transfer.callee.uc_stack.ss_sp = memory;
  transfer.callee.uc_stack.ss_size = kBytes;
  transfer.callee.uc_link = &transfer.caller;
  auto address = reinterpret_cast<uintptr_t>(&transfer);
  makecontext(&transfer.callee, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
  swapcontext(&transfer.caller, &transfer.callee);
}
