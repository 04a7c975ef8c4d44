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

/// A launch whose programs can be interrupted, for as long as this lives. `ask` is called on the launch's thread,
/// between two turns of a program's loop: of launches on the process's first thread, where signal handlers run, now and
/// then for as long as they run; of launches on other threads once, to let others run, and again when all launches end.
class Interruptible {
public:
  Interruptible(LaunchContext &context, bool (*ask)(void *), void *argument);
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;
  ~Interruptible();

  /// The launch no longer keeps other threads from running: one on another thread than the first need not be asked.
  void letOthersRun();

private:
  void endCount();

  LaunchContext &context;
  /// Whether the watcher looks at how long this launch takes.
  bool isCounted = false;
};

/// Has the programs of a launch end at their next turn of a loop.
void stopPrograms(LaunchContext &context);

/// Asks all launches, whose callers then have their programs stop; those that begin later are left alone.
void stopLaunches();

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_INTERRUPTION_H
