//===- Executor.h - Threads that run a launch ---------------------------------------------------------------------===//
//
// A launch runs the same way on every executor: the caller runs its range, workers that join run theirs and then parts
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

/// Least work that is worth waking a thread for.
constexpr double kWokenPartNs = 10e3;

/// Returns the number of threads, 2 to `maximum`, that get `partNs` of a launch's work each.
inline int threadsFor(double ns, double partNs, int maximum) {
  return std::max(2, static_cast<int>(std::min(std::ceil(ns / partNs), static_cast<double>(maximum))));
}

/// Threads that can run a launch.
class Executor {
public:
  /// Returns the best number of threads, the caller's included, for a launch that is worth at least two.
  virtual int threadsFor(double ns, int maximum) const = 0;
  /// Runs a job on the caller's thread and on up to that many workers. Returns false if the job was interrupted.
  virtual bool run(Job &job, int workers, void *scratch) = 0;

protected:
  ~Executor() = default;
};

/// Threads of another library, which may be busy, asleep or too few.
class BorrowedExecutor : public Executor {
public:
  /// Returns true if a launch of the calling thread can have that many threads.
  virtual bool hasThreads(int threads) const = 0;
  /// Returns true if the workers of the calling thread are awake, each with a CPU.
  virtual bool isReady() const = 0;
  /// Returns true if the workers are awake that long after the last launch of the calling thread on several threads.
  virtual bool isAwakeAfter(Clock::duration sinceLaunch) const = 0;

protected:
  ~BorrowedExecutor() = default;
};

/// Returns the executor on the runtime's own threads.
Executor &ownExecutor();

/// Returns the executor on the threads of another library; null if the process has none.
BorrowedExecutor *borrowedExecutor();

/// Chooses the executor of a launch on several threads.
Executor &executorFor(int threads);

/// Returns true if workers are awake that long after the last launch of the calling thread on several threads.
bool wouldBeAwake(Clock::duration sinceLaunch);

/// Runs chunks on the caller's thread. Returns false if the job was interrupted.
bool runCallerChunks(Job &job, void *scratch);

/// Runs chunks on a worker's thread. Workers of the same number have the same range in all launches.
void runWorkerChunks(Job &job, int worker);

/// Runs the whole range of a worker in one piece, which begins at `now`.
void runUnsplitRange(Job &job, int worker, Clock::time_point now);

/// Waits for the workers of a launch after the caller has run its range, with or without interruption (`finished`).
/// Returns false if the job was interrupted.
template <typename Meeting> bool waitForWorkers(Job &job, Meeting &workers, bool finished) {
  if (!finished)
    job.dropRest();
  while (!workers.waitUntilLeft(finished)) {
    finished = false; // No more programs start, but running ones must end before their arguments are freed.
    stopPrograms(*job.work.context);
  }
  return finished;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_EXECUTOR_H
