//===- ParallelFor.cpp - The programs of a launch, on as many threads as they are worth ---------------------------===//

#include "blockdsl/Runtime/ParallelFor.h"

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Crew.h"
#include "Waiting.h"

#include <optional>
#include <utility>

using namespace blockdsl::runtime;

namespace {

/// Below this much work a second thread costs more than it saves: one that is awake ...
constexpr double kSmallNs = 4.5e3;
/// ... and one that has to be woken, which takes the caller ten microseconds.
constexpr double kWorthWakingNs = 20e3;

/// When this thread's last launch ended that others had a part in, or would have had were they awake.
thread_local Clock::time_point lastLaunch{};

/// Where a launch may have one thread only, so many small ones do not ask again.
constexpr int kLaunchesAlone = 64;
thread_local int launchesAlone = 0;

int64_t nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Runs programs outside of any job, to learn what they cost. Returns nanoseconds a program.
double runProbe(const Work &work, int64_t first, int64_t count, void *scratch) {
  Clock::time_point start = Clock::now();
  work.function(work.args, first, first + count, scratch);
  int64_t ns = nanosecondsSince(start);
  if (!work.context->isStopped())
    work.cost->record(ns, count);
  return static_cast<double>(std::max<int64_t>(ns, 1)) / static_cast<double>(count);
}

/// Whether a launch runs on its caller alone. Where launches follow each other workers are still awake from the one
/// before, or worth waking for the next.
bool isSmall(const Work &work, double ns) {
  if (ns <= kSmallNs || work.programs == 1)
    return true;
  if (ns > kWorthWakingNs)
    return false;
  if (launchesAlone > 0) {
    --launchesAlone;
    return true;
  }
  Clock::time_point now = Clock::now();
  Clock::time_point end = now + std::chrono::nanoseconds(static_cast<int64_t>(ns));
  return !wouldBeAwake(now - std::exchange(lastLaunch, end));
}

/// Whether programs that were thought to be few microseconds' work are none.
bool isNoLongerSmall(const Work &work, double nsPerProgram) {
  if (nsPerProgram * static_cast<double>(work.programs) < kWorthWakingNs * 2)
    return false;
  work.cost->assign(nsPerProgram);
  return true;
}

} // namespace

Arena &blockdsl::runtime::threadsArena() {
  thread_local Arena arena;
  return arena;
}

void CostEstimate::record(int64_t ns, int64_t programs) {
  float sample = static_cast<float>(std::max<int64_t>(ns, 1)) / static_cast<float>(programs);
  float known = nsPerProgram.load(std::memory_order_relaxed);
  // A program that was preempted must not make the kernel look expensive for long, hence the bound.
  float next = known == 0 ? sample : (known + std::min(sample, known * 8)) / 2;
  nsPerProgram.store(next, std::memory_order_relaxed);
}

int64_t blockdsl::runtime::runSmall(const Work &work) {
  double nsPerProgram = work.cost->get();
  if (work.waits && work.programs > 1)
    return 0;
  if (nsPerProgram == 0 || !isSmall(work, nsPerProgram * static_cast<double>(work.programs)))
    return 0;
  void *scratch = threadsArena().reserve(work.scratchBytes);
  if (!scratch && work.scratchBytes != 0)
    return 0;
  // The first programs alone: a kernel whose cost lies in its arguments may be dearer than last time, and nothing hears
  // Ctrl-C in here.
  int64_t probe = std::max<int64_t>(1, work.programs / 8);
  double measured = runProbe(work, 0, probe, scratch);
  if (probe == work.programs || work.context->hasFailed() || work.context->isStopped())
    return work.programs;
  if (isNoLongerSmall(work, measured))
    return probe;
  work.function(work.args, probe, work.programs, scratch);
  return work.programs;
}

Outcome blockdsl::runtime::parallelFor(const Work &work, int64_t first) {
  launchesAlone = work.threads == 1 ? kLaunchesAlone : 0;
  void *scratch = threadsArena().reserve(work.scratchBytes);
  if (!scratch && work.scratchBytes != 0)
    return Outcome::OutOfMemory;
  double nsPerProgram = work.waits ? kWokenPartNs : work.cost->get();
  // The first launch learns from the first program, and is as long as that one if it is the only one.
  if (nsPerProgram == 0 && first < work.programs)
    nsPerProgram = runProbe(work, first++, 1, scratch);
  if (work.context->isStopped())
    return Outcome::Interrupted;
  double rest = static_cast<double>(work.programs - first);
  double ns = nsPerProgram * rest;
  auto most = static_cast<int>(std::min(static_cast<double>(work.threads), rest));
  Crew *crew = most > 1 && ns > kSmallNs ? &crewFor(threadsFor(ns, kWokenPartNs, most)) : nullptr;
  int threads = crew ? crew->threadsFor(ns, most) : 1;

  Job job(work, first, nsPerProgram, threads);
  std::optional<Helpers> helpers;
  if (work.waits) // Before workers, who look for them.
    helpers.emplace(job);
  bool finished = crew ? crew->run(job, threads - 1, scratch) : runCallersShare(job, scratch);
  while (helpers && !helpers->waitUntilLeft(kInterruptInterval))
    if (finished && work.interrupted(work.interruptedArgument)) {
      finished = false;
      stopPrograms(*work.context);
    }
  lastLaunch = Clock::now();
  if (!finished)
    return Outcome::Interrupted;
  return work.context->hasFailed() ? Outcome::Failed : Outcome::Finished;
}
