//===- DeepStack.h - Calls on a stack that recursion does not exhaust -*- C++ -*-===//
#ifndef BLOCKDSL_TOOLS_DEEPSTACK_H
#define BLOCKDSL_TOOLS_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blockdsl {

/// Calls `function` on this thread, but on a stack of a gigabyte: address space, of which only what is touched becomes
/// memory. Where address space is limited, the stack is an eighth of what is left, and at least 16 MiB. On such a stack
/// already it is just called, and so it is where the system does not give that much. It must not throw.
void callOnDeepStack(llvm::function_ref<void()> function);

} // namespace blockdsl

#endif // BLOCKDSL_TOOLS_DEEPSTACK_H
