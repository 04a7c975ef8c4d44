//===- RunningLaunch.cpp - The launch whose programs a thread runs ------------------------------------------------===//

#include "blockdsl/Runtime/RunningLaunch.h"

#include <new>

using namespace blockdsl::runtime;

/// The registers of a CPU with AVX-512 and AMX take 11 KB of it.
static constexpr size_t kStackBytes = 1 << 16;

SignalStack::SignalStack() {
  stack_t found{};
  if (sigaltstack(nullptr, &found) != 0 || !(found.ss_flags & SS_DISABLE))
    return;
  memory.reset(new (std::nothrow) char[kStackBytes]);
  stack_t own{};
  own.ss_sp = memory.get();
  own.ss_size = kStackBytes;
  isSet = memory && sigaltstack(&own, nullptr) == 0;
}

SignalStack::~SignalStack() {
  stack_t found{}, none{};
  none.ss_flags = SS_DISABLE;
  // Another one may have been set since.
  if (isSet && sigaltstack(nullptr, &found) == 0 && found.ss_sp == memory.get())
    sigaltstack(&none, nullptr);
}
