//===- ProgramDependencies.h - Progress of programs that wait for each other --------------------------------------===//
//
// A GPU runs many programs of a launch concurrently, and some kernels rely on it: their programs wait for a lock, for
// the result of an earlier program, or for all others. On a CPU each thread runs one program at a time. So programs
// start in the order of their ids, one per claim, and if all running programs seem to wait, a helper thread starts the
// next one.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_PROGRAMDEPENDENCIES_H
#define BLOCKDSL_LIB_RUNTIME_PROGRAMDEPENDENCIES_H

#include "Futex.h"
#include "Job.h"

#include <mutex>

namespace blockdsl::runtime {

/// Additional threads of one launch whose programs wait for each other.
class ProgramDependencies {
public:
  explicit ProgramDependencies(Job &job);
  ProgramDependencies(const ProgramDependencies &) = delete;
  ProgramDependencies &operator=(const ProgramDependencies &) = delete;
  ~ProgramDependencies();

  /// Waits for the helper threads after all programs have started. Returns true if they ended within the time limit.
  bool waitForHelpers(std::chrono::nanoseconds limit);
  /// Starts a helper thread if the running programs make no progress. Called regularly by threads whose program waits.
  void ensureProgress();

private:
  static void *helperMain(void *self);
  bool startHelper();
  void stopIfStuck(Clock::time_point now, int64_t progress);

  Job &job;
  Word running{0};

  /// Time and progress of the first failure to start a thread. Threads whose programs wait answer in rounds: a round
  /// that all threads have answered shows that no program computes.
  std::mutex answering;
  int64_t stuckAt = -1;
  Clock::time_point stuckSince, roundBegan;
  uint64_t round = 0;
  int answers = 0;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_PROGRAMDEPENDENCIES_H
