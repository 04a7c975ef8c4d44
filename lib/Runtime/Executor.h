//===- Executor.h - Threads that run a launch ---------------------------------------------------------------------===//
//
// A launch runs the same way on every executor: the caller runs its share, workers that join run theirs and then parts
// of the others', and the caller waits for the workers that have joined. Executors differ in how a launch reaches a
// worker.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_EXECUTOR_H
#define BLOCKDSL_LIB_RUNTIME_EXECUTOR_H

#include "JobSlot.h"

#include "blockdsl/Runtime/Interruption.h"

#include <cmath>

namespace blockdsl::runtime {

/// A thread that may have to be woken is worth its while with so much of the work.
constexpr double kWokenPartNs = 10e3;

/// As many threads as have so much of a launch's work each: two to so many.
inline int threadsFor(double ns, double partNs, int most) {
  return std::max(2, static_cast<int>(std::min(std::ceil(ns / partNs), static_cast<double>(most))));
}

class Executor {
public:
  /// On how many threads, its caller's included, a launch is best run that is worth two.
  virtual int threadsFor(double ns, int most) const = 0;
  /// Runs a job on the caller's thread and on up to so many workers'. False when it was asked to stop.
  virtual bool run(Job &job, int workers, void *scratch) = 0;

protected:
  ~Executor() = default;
};

/// The one place where it is decided whose threads run a launch on several.
Executor &executorFor(int threads);

/// Whether those who would help this thread spin, so long after its last launch that they may have had a part in.
bool wouldBeAwake(Clock::duration sinceLaunch);

/// Runs chunks on the caller's thread. False when it was asked to stop.
bool runCallersShare(Job &job, void *scratch);

/// Runs chunks on a worker's thread. A worker of the same number has the same share from launch to launch.
void runWorkersShare(Job &job, int worker);

/// The whole of a share that is the worker's own. It begins now.
void runWorkersWholeShare(Job &job, int worker, Clock::time_point now);

/// What a launch's own thread does after its share: waits for the workers, where they meet. False when it was asked to
/// stop, then or before.
template <typename Meeting> bool waitForWorkers(Job &job, Meeting &workers, bool finished) {
  if (!finished)
    job.dropRest();
  while (!workers.waitUntilLeft(finished)) {
    finished = false; // Nothing new starts by now, but what runs has to end before its arguments may go.
    stopPrograms(*job.work.context);
  }
  return finished;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_EXECUTOR_H
