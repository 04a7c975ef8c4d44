//===- Executor.cpp - Choice of the threads that run a launch -----------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Executor.h"

#include "blockdsl/Runtime/Interruption.h"
#include "blockdsl/Runtime/RunningLaunch.h"
#include "blockdsl/Runtime/Workers.h"

#include "Arena.h"
#include "Participant.h"

using namespace blockdsl::runtime;

static std::atomic<Workers> chosen{Workers::Auto};

bool blockdsl::runtime::runCallerChunks(Job &job, void *scratch) {
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

void blockdsl::runtime::chooseWorkers(Workers workers) { chosen.store(workers, std::memory_order_relaxed); }

Executor &blockdsl::runtime::executorFor(int threads) {
  Workers workers = chosen.load(std::memory_order_relaxed);
  BorrowedExecutor *borrowed = workers == Workers::Own ? nullptr : borrowedExecutor();
  if (borrowed && (workers == Workers::OpenMP || borrowed->isReady()) && borrowed->hasThreads(threads))
    return *borrowed;
  return ownExecutor();
}

bool blockdsl::runtime::wouldBeAwake(Clock::duration sinceLaunch) {
  if (sinceLaunch < kSpinTime)
    return true;
  if (chosen.load(std::memory_order_relaxed) == Workers::Own)
    return false;
  BorrowedExecutor *borrowed = borrowedExecutor();
  return borrowed && borrowed->isAwakeAfter(sinceLaunch);
}

Workers blockdsl::runtime::workersOf(int threads) {
  return &executorFor(threads) == borrowedExecutor() ? Workers::OpenMP : Workers::Own;
}

void blockdsl::runtime::runWorkerChunks(Job &job, int worker) {
  RunningLaunch running(job.work.context);
  void *scratch;
  if (!reserveScratch(job.work.scratchBytes, scratch))
    return;
  Participant participant(job, job.rangeOf(worker), scratch);
  while (participant.runChunk()) {
  }
}

void blockdsl::runtime::runUnsplitRange(Job &job, int worker, Clock::time_point now) {
  RunningLaunch running(job.work.context);
  void *scratch;
  if (reserveScratch(job.work.scratchBytes, scratch))
    job.runUnsplit(job.rangeOf(worker), now, scratch);
}
