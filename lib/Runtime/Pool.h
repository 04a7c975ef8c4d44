//===- Pool.h - Executor on the runtime's own threads -------------------------------------------------------------===//
//
// Workers search for a job, run chunks of it, and search again. Without a job they spin for a moment, because the next
// launch often follows within microseconds, and then sleep. A job lives on the stack of the thread that launches it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_POOL_H
#define BLOCKDSL_LIB_RUNTIME_POOL_H

#include "Executor.h"

#include <array>
#include <mutex>

namespace blockdsl::runtime {

/// Largest number of concurrent launches with workers. Others run on their callers' threads only.
constexpr int kMaxJobs = 16;

class Pool final : public Executor {
public:
  /// Returns the pool of the process. A child of fork gets a new pool, because it has no threads of its parent.
  static Pool &get();

  int threadsFor(double ns, int maximum) const override;
  bool run(Job &job, int workers, void *scratch) override;

private:
  /// Offers the job to that many workers, and starts missing ones. Returns the job's slot, or null if all are taken.
  JobSlot *publish(Job &job, int count);
  static void *workerMain(void *start);
  void startWorkers(int count);
  bool startWorker();
  /// Joins all jobs that need workers. Returns false if there are none.
  bool workOnce(int number);
  /// Spins, and then sleeps, until a job has been published. Returns true if the thread did not sleep.
  bool waitForWork(uint32_t seenEpoch, Clock::time_point idleSince);

  std::array<JobSlot, kMaxJobs> slots;
  /// Incremented with every published job. On a cache line of its own, because all spinning workers read it.
  alignas(64) Word epoch{0};
  /// CPU of the last thread that published a job. Linux in a virtual machine treats halted CPUs as busy and may wake a
  /// worker on the caller's CPU, where the two would alternate.
  std::atomic<int> callersCPU{-1};
  alignas(64) std::atomic<int> sleeping{0};
  /// Incremented only with `starting` locked.
  std::atomic<int> workers{0};
  std::mutex starting;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_POOL_H
