//===- DeepStack.h - Calls on a stack that recursion does not exhaust -*- C++ -*-===//
#ifndef BLOCKDSL_TOOLS_DEEPSTACK_H
#define BLOCKDSL_TOOLS_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blockdsl {

/// Calls `function` on this thread, but on a stack of a gigabyte: address space, of which only what is touched becomes
/// memory. On such a stack already it is just called, and so it is where the system gives not even 16 MiB. It must not
/// throw.
void callOnDeepStack(llvm::function_ref<void()> function);

} // namespace blockdsl

#endif // BLOCKDSL_TOOLS_DEEPSTACK_H
