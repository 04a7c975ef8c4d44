//===- Interruption.h - Programs that end before they are through -------------------------------------------------===//
//
// A program may run for seconds, or for ever, on the thread that Python runs signal handlers on. So its loops look at a
// word of memory in every turn. A watching thread sets the word when a launch has run for a while; the loop then calls
// back, the handlers run, and if one raises, all programs of the launch leave at their next turn.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_INTERRUPTION_H
#define BLOCKDSL_RUNTIME_INTERRUPTION_H

#include "blockdsl/Runtime/LaunchContext.h"

namespace blockdsl::runtime {

/// A launch whose programs can be interrupted, for as long as this lives. Only launches on the process's first thread
/// can: signal handlers run nowhere else. `ask` is called on that thread, between two turns of a program's loop.
class Interruptible {
public:
  Interruptible(LaunchContext &context, bool (*ask)(void *), void *argument);
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;
  ~Interruptible();

private:
  bool isOutermost = false;
};

/// Has the programs of a launch end at their next turn of a loop.
void stopPrograms(LaunchContext &context);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_INTERRUPTION_H
