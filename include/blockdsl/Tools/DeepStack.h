//===- DeepStack.h - Calls on a stack that recursion does not exhaust -*- C++ -*-===//
#ifndef BLOCKDSL_TOOLS_DEEPSTACK_H
#define BLOCKDSL_TOOLS_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blockdsl {

/// Calls `function` on this thread with a stack of a gigabyte of address space, which is only backed by memory when it
/// is touched. If address space is limited, the stack takes an eighth of the rest, and at least 16 MiB. Calls
/// `function` directly if it is already on such a stack, or if none can be allocated. `function` must not throw.
void callOnDeepStack(llvm::function_ref<void()> function);

} // namespace blockdsl

#endif // BLOCKDSL_TOOLS_DEEPSTACK_H
