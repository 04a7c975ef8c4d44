//===- ParallelFor.cpp - Runs a launch on the number of threads that its work is worth ----------------------------===//

#include "blockdsl/Runtime/ParallelFor.h"

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Executor.h"
#include "ProgramDependencies.h"

#include <optional>

using namespace blockdsl::runtime;

namespace {

/// Least work for which a second thread saves time if it is awake.
constexpr double kSmallNs = 4.5e3;
/// Least work for which a second thread saves time if it sleeps. Waking it takes the caller ten microseconds. If its
/// CPU sleeps too, it starts after another 20 to 40, and after 60 to 90 after a pause, with cold caches.
constexpr double kWorthWakingNs = 20e3, kWorthWakingSleepersNs = 50e3, kWorthWakingAfterPauseNs = 150e3;
/// Time for which Linux in a virtual machine polls for work before it halts a CPU.
constexpr auto kCPUsAreAwake = std::chrono::microseconds(200);
constexpr auto kPause = std::chrono::milliseconds(5);

/// End of this thread's last launch on several threads, or that would have used several if they had been awake.
thread_local Clock::time_point lastLaunch{};

/// Number of small launches after a single-threaded one that skip the search for workers.
constexpr int kLaunchesAlone = 64;
thread_local int launchesAlone = 0;

int64_t nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Runs programs without a job. Returns the time in nanoseconds.
int64_t runAlone(const Work &work, int64_t first, int64_t last, void *scratch) {
  Clock::time_point start = Clock::now();
  work.function(work.args, first, last, scratch);
  return std::max<int64_t>(1, nanosecondsSince(start));
}

/// Returns the least work that is worth waking workers for, that long after their last launch.
double worthWaking(Clock::duration sinceLaunch) {
  if (sinceLaunch < kCPUsAreAwake)
    return kWorthWakingNs;
  return sinceLaunch < kPause ? kWorthWakingSleepersNs : kWorthWakingAfterPauseNs;
}

/// Returns the largest actual work for which a launch of that estimated work stays on its caller's thread; 0 if it
/// should use several threads. In repeated launches workers are still awake from the one before, or worth waking for
/// the next.
double mostAlone(const Work &work, double ns) {
  if (ns <= kSmallNs || work.programs == 1)
    return kWorthWakingNs;
  if (ns > kWorthWakingAfterPauseNs)
    return 0;
  if (ns <= kWorthWakingNs && launchesAlone > 0) {
    --launchesAlone;
    return kWorthWakingNs;
  }
  Clock::time_point now = Clock::now();
  Clock::duration sinceLaunch = now - lastLaunch;
  double limitNs = worthWaking(sinceLaunch);
  if (ns > limitNs)
    return 0;
  lastLaunch = now + std::chrono::nanoseconds(static_cast<int64_t>(ns));
  return wouldBeAwake(sinceLaunch) ? 0 : limitNs;
}

/// Returns true if a launch that started on one thread is much more work than `limitNs`. Very small launches may take
/// longer after a pause, with cold caches, so the length of the pause counts too.
bool isHandedOver(double ns, double limitNs) {
  return ns >= limitNs * 2 && ns >= worthWaking(Clock::now() - lastLaunch) * 2;
}

} // namespace

void CostEstimate::record(int64_t ns, int64_t programs) {
  float sample = static_cast<float>(std::max<int64_t>(ns, 1)) / static_cast<float>(programs);
  float previous = nsPerProgram.load(std::memory_order_relaxed);
  // Bounded, so that a preempted program does not raise the estimate for long.
  float next = previous == 0 ? sample : (previous + std::min(sample, previous * 8)) / 2;
  nsPerProgram.store(next, std::memory_order_relaxed);
}

int64_t blockdsl::runtime::runSmall(const Work &work) {
  double nsPerProgram = work.cost->get();
  if (nsPerProgram == 0 || (work.waits && work.programs > 1))
    return 0;
  double limitNs = mostAlone(work, nsPerProgram * static_cast<double>(work.programs));
  if (limitNs == 0)
    return 0;
  void *scratch;
  if (!reserveScratch(work.scratchBytes, scratch))
    return 0;
  // Times the first programs separately: the cost may depend on the arguments, and Ctrl-C is not handled here.
  int64_t timed = std::max<int64_t>(1, work.programs / 8);
  int64_t ns = runAlone(work, 0, timed, scratch);
  if (work.context->isStopped())
    return work.programs;
  if (timed == work.programs || work.context->hasFailed()) {
    work.cost->record(ns, timed);
    return work.programs;
  }
  double each = static_cast<double>(ns) / static_cast<double>(timed);
  if (isHandedOver(each * static_cast<double>(work.programs), limitNs)) {
    work.cost->assign(each);
    return timed;
  }
  if (limitNs > kWorthWakingNs) { // After a pause the first programs have cold caches, so all are timed.
    ns += runAlone(work, timed, work.programs, scratch);
    timed = work.programs;
  } else {
    work.function(work.args, timed, work.programs, scratch);
  }
  work.cost->record(ns, timed);
  return work.programs;
}

Outcome blockdsl::runtime::parallelFor(const Work &work, int64_t first) {
  launchesAlone = work.threads == 1 ? kLaunchesAlone : 0;
  void *scratch;
  if (!reserveScratch(work.scratchBytes, scratch))
    return Outcome::OutOfMemory;
  double nsPerProgram = work.waits ? kWokenPartNs : work.cost->get();
  // The first launch is estimated from its first program.
  if (nsPerProgram == 0 && first < work.programs) {
    int64_t ns = runAlone(work, first, first + 1, scratch);
    ++first;
    nsPerProgram = static_cast<double>(ns);
    if (!work.context->isStopped())
      work.cost->record(ns, 1);
  }
  if (work.context->isStopped())
    return Outcome::Interrupted;
  double remaining = static_cast<double>(work.programs - first);
  double ns = nsPerProgram * remaining;
  auto maximum = static_cast<int>(std::min(static_cast<double>(work.threads), remaining));
  Executor *executor = maximum > 1 && ns > kSmallNs ? &executorFor(threadsFor(ns, kWokenPartNs, maximum)) : nullptr;
  int threads = executor ? executor->threadsFor(ns, maximum) : 1;

  Job job(work, first, nsPerProgram, threads);
  std::optional<ProgramDependencies> dependencies;
  if (work.waits) // Before the workers, which use it.
    dependencies.emplace(job);
  bool finished = executor ? executor->run(job, threads - 1, scratch) : runCallerChunks(job, scratch);
  while (dependencies && !dependencies->waitForHelpers(kInterruptInterval))
    if (finished && work.interrupted(work.interruptedArgument)) {
      finished = false;
      stopPrograms(*work.context);
    }
  lastLaunch = Clock::now();
  if (!finished)
    return Outcome::Interrupted;
  return work.context->hasFailed() ? Outcome::Failed : Outcome::Finished;
}
