//===- Pool.h - Threads of our own --------------------------------------------------------------------------------===//
//
// Workers look for a job, run chunks of it, and look again; without one they spin for a moment (the next launch is
// usually microseconds away) and then sleep. A job lives on the stack of the thread that launches it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_POOL_H
#define BLOCKDSL_LIB_RUNTIME_POOL_H

#include "Executor.h"

#include <array>
#include <mutex>

namespace blockdsl::runtime {

/// More launches than this at the same time run on their callers' threads alone.
constexpr int kMostJobs = 16;

class Pool final : public Executor {
public:
  /// The process's pool. A child of fork has none of its parent's threads and gets a pool of its own.
  static Pool &get();

  int threadsFor(double ns, int most) const override;
  bool run(Job &job, int workers, void *scratch) override;

private:
  /// Offers the job to so many workers, starting those that are missing. Returns where they meet, null when nobody can
  /// help.
  JobSlot *publish(Job &job, int wanted);
  static void *workerMain(void *start);
  void startWorkers(int wanted);
  bool startWorker();
  /// Joins the jobs that want workers. False when there are none.
  bool workOnce(int number);
  /// Spins, and then sleeps, until a job has been published. Whether the thread stayed awake.
  bool waitForWork(uint32_t seen, Clock::time_point idleSince);

  std::array<JobSlot, kMostJobs> slots;
  /// Grows with every published job. Alone on its line: everybody who spins reads it.
  alignas(64) Word epoch{0};
  /// Where the thread ran that last published one. A virtual machine's Linux takes CPUs that have halted for taken, and
  /// wakes a worker there, too, who would have the caller's CPU by turns with it.
  std::atomic<int> callersCPU{-1};
  alignas(64) std::atomic<int> sleeping{0};
  /// Grows while `starting` is held.
  std::atomic<int> workers{0};
  std::mutex starting;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_POOL_H
