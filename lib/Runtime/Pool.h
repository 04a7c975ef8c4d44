//===- Pool.h - The threads that help a launch --------------------------------------------------------------------===//
//
// Workers look for a job, run chunks of it, and look again; without one they spin for a moment (the next launch is
// usually microseconds away) and then sleep. A job lives on the stack of the thread that launches it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_POOL_H
#define BLOCKDSL_LIB_RUNTIME_POOL_H

#include "Futex.h"
#include "Job.h"

#include <mutex>

namespace blockdsl::runtime {

class Pool {
public:
  /// The process's pool. A child of fork has none of its parent's threads and gets a pool of its own.
  static Pool &get();

  /// Offers the job to the workers, starting those that are missing.
  void publish(Job &job);
  /// Takes the offer back: from now on no worker joins.
  void withdraw(Job &job);
  /// Waits until no worker is inside the job. False as soon as the caller is asked to stop.
  bool waitUntilLeft(Job &job, bool mayInterrupt);

private:
  static void *workerMain(void *start);
  void startWorker();
  Job *join();
  void leave(Job &job);
  void waitForWork(uint32_t seen);

  std::mutex mutex;
  std::atomic<Job *> jobs{nullptr};
  int workers = 0;
  /// Grows with every published job.
  Word epoch{0};
  std::atomic<int> spinning{0};
  /// Grows whenever a worker leaves a job.
  Word departures{0};
  std::atomic<int> sleepingCallers{0};
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_POOL_H
