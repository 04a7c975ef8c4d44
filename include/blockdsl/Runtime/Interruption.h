//===- Interruption.h - Interruption of running programs ----------------------------------------------------------===//
//
// A program may run for seconds, or forever, on the thread on which Python runs signal handlers. So its loops read a
// poll word in every iteration. A watcher thread sets the word after a launch has run for a while; the loop then calls
// back, the signal handlers run, and if one raises, all programs of the launch end at their next iteration.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_INTERRUPTION_H
#define BLOCKDSL_RUNTIME_INTERRUPTION_H

#include "blockdsl/Runtime/LaunchContext.h"

namespace blockdsl::runtime {

/// Makes the programs of a launch interruptible in a scope. `ask` is called on the launch's thread between two
/// iterations of a program's loop: regularly for launches on the process's first thread, where signal handlers run;
/// once for launches on other threads, to let other threads run, and again when all launches end.
class Interruptible {
public:
  Interruptible(LaunchContext &context, bool (*ask)(void *), void *argument);
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;
  ~Interruptible();

  /// Ends the regular calls of `ask` on other threads than the first, after the launch has released the GIL.
  void letOthersRun();

private:
  void endCount();

  LaunchContext &context;
  /// Whether the watcher measures the time of this launch.
  bool isCounted = false;
};

/// Makes the programs of a launch end at the next iteration of a loop.
void stopPrograms(LaunchContext &context);

/// Calls `ask` of all launches, which can then stop. Launches that start later are not affected.
void stopLaunches();

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_INTERRUPTION_H
