//===- Executor.cpp - Choice of the threads that run a launch -----------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Executor.h"

#include "blockdsl/Runtime/Interruption.h"
#include "blockdsl/Runtime/RunningLaunch.h"
#include "blockdsl/Runtime/Workers.h"

#include "Arena.h"
#include "OpenMP.h"
#include "Pool.h"
#include "Team.h"

using namespace blockdsl::runtime;

/// After such a pause it takes as long to ask about torch's workers as a small launch takes.
constexpr auto kPause = std::chrono::milliseconds(2);

static std::atomic<Workers> chosen{Workers::Auto};

bool blockdsl::runtime::runCallersShare(Job &job, void *scratch) {
  const Work &work = job.work;
  Participant caller(job, 0, scratch);
  Clock::time_point lastCheck = caller.endOfChunk();
  while (caller.runChunk()) {
    if (work.context->isStopped())
      return false;
    if (caller.endOfChunk() - lastCheck < kInterruptInterval)
      continue;
    if (work.interrupted(work.interruptedArgument)) {
      stopPrograms(*work.context);
      return false;
    }
    lastCheck = caller.resume();
  }
  caller.recordCost();
  return true;
}

void blockdsl::runtime::chooseWorkers(Workers whose) { chosen.store(whose, std::memory_order_relaxed); }

Executor &blockdsl::runtime::executorFor(int threads) {
  Workers whose = chosen.load(std::memory_order_relaxed);
  OpenMP *openmp = whose == Workers::Own ? nullptr : OpenMP::get();
  if (openmp && (whose == Workers::OpenMP || openmp->isReady()) && openmp->reaches(threads))
    return *openmp;
  return Pool::get();
}

bool blockdsl::runtime::wouldBeAwake(Clock::duration sinceLaunch) {
  if (sinceLaunch < kSpinTime)
    return true;
  // Torch's may be, from one of its ops.
  if (sinceLaunch > kLongestSpin || chosen.load(std::memory_order_relaxed) == Workers::Own)
    return false;
  OpenMP *openmp = OpenMP::get();
  if (!openmp || !openmp->reaches(2))
    return false;
  return sinceLaunch < kPause ? openmp->isReady() : openmp->isKnownToSpin();
}

Workers blockdsl::runtime::workersOf(int threads) {
  return &executorFor(threads) == OpenMP::get() ? Workers::OpenMP : Workers::Own;
}

void blockdsl::runtime::runWorkersShare(Job &job, int worker) {
  RunningLaunch running(job.work.context);
  void *scratch;
  if (!reserveScratch(job.work.scratchBytes, scratch))
    return;
  Participant participant(job, job.shareOf(worker), scratch);
  while (participant.runChunk()) {
  }
}

void blockdsl::runtime::runWorkersWholeShare(Job &job, int worker, Clock::time_point now) {
  RunningLaunch running(job.work.context);
  void *scratch;
  if (reserveScratch(job.work.scratchBytes, scratch))
    job.runWhole(job.shareOf(worker), now, scratch);
}
