//===- Waiting.h - Programs that wait for each other --------------------------------------------------------------===//
//
// A GPU runs many programs of a launch at once, and some kernels count on it: their programs wait for a lock, for what
// an earlier program has summed up, or for all others. Here there are as many at once as threads, and a thread whose
// program waits runs no other. So programs start in the order of their ids, one at a time; and when all that run seem
// to wait, one more thread starts the next.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_WAITING_H
#define BLOCKDSL_LIB_RUNTIME_WAITING_H

#include "Futex.h"
#include "Job.h"

#include <mutex>

namespace blockdsl::runtime {

/// The threads that a launch has beside the pool's, for as long as its programs wait. Lives as long as the launch.
class Helpers {
public:
  explicit Helpers(Job &job);
  Helpers(const Helpers &) = delete;
  Helpers &operator=(const Helpers &) = delete;
  ~Helpers();

  /// For the caller, when no program is left to be started: whether all helpers have ended within the time.
  bool waitUntilLeft(std::chrono::nanoseconds limit);
  /// Called now and then by a thread whose program waits.
  void seeToProgress();

private:
  static void *helperMain(void *self);
  bool start();
  void stopIfStuck(Clock::time_point now, int64_t progress);

  Job &job;
  Word running{0};

  /// Since no thread could be started: when that was, and at which progress. The threads whose programs wait answer in
  /// rounds; a round in which all have answered shows that none of them computes.
  std::mutex asking;
  int64_t stuckAt = -1;
  Clock::time_point stuckSince, roundBegan;
  uint64_t round = 0;
  int answers = 0;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_WAITING_H
