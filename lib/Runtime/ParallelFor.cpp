//===- ParallelFor.cpp - The programs of a launch, on as many threads as they are worth ---------------------------===//

#include "blockdsl/Runtime/ParallelFor.h"

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Executor.h"
#include "ProgramDependencies.h"

#include <optional>

using namespace blockdsl::runtime;

namespace {

/// Below this much work a second thread costs more than it saves: one that is awake ...
constexpr double kSmallNs = 4.5e3;
/// ... and one that has to be woken. That takes the caller ten microseconds; and where his CPU has gone to sleep, too,
/// he comes 20 to 40 later, and 60 to 90 after a pause, when nothing that the system needs for it is in the caches.
constexpr double kWorthWakingNs = 20e3, kWorthWakingSleepersNs = 50e3, kWorthWakingAfterPauseNs = 150e3;
/// A Linux that is a guest looks for work for so long before it halts a CPU.
constexpr auto kCPUsAreAwake = std::chrono::microseconds(200);
constexpr auto kPause = std::chrono::milliseconds(5);

/// When this thread's last launch ended that others had a part in, or would have had were they awake.
thread_local Clock::time_point lastLaunch{};

/// Where a launch may have one thread only, so many small ones do not ask again.
constexpr int kLaunchesAlone = 64;
thread_local int launchesAlone = 0;

int64_t nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Runs programs outside of any job. Returns nanoseconds.
int64_t runAlone(const Work &work, int64_t first, int64_t last, void *scratch) {
  Clock::time_point start = Clock::now();
  work.function(work.args, first, last, scratch);
  return std::max<int64_t>(1, nanosecondsSince(start));
}

/// What those have to be worth who may have to be woken, so long after this thread's last launch that they had a part
/// in.
double worthWaking(Clock::duration sinceLaunch) {
  if (sinceLaunch < kCPUsAreAwake)
    return kWorthWakingNs;
  return sinceLaunch < kPause ? kWorthWakingSleepersNs : kWorthWakingAfterPauseNs;
}

/// How much work a launch that is thought to be so much may turn out to be and run on its caller alone; 0 if it is
/// better shared. Where launches follow each other workers are still awake from the one before, or worth waking for the
/// next.
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
  double most = worthWaking(sinceLaunch);
  if (ns > most)
    return 0;
  lastLaunch = now + std::chrono::nanoseconds(static_cast<int64_t>(ns));
  return wouldBeAwake(sinceLaunch) ? 0 : most;
}

/// Whether a launch that has begun alone is much more work than it may be. One that nobody was asked about, because it
/// was thought to be next to nothing, may find its data out of the caches after a pause.
bool isHandedOver(double ns, double most) { return ns >= most * 2 && ns >= worthWaking(Clock::now() - lastLaunch) * 2; }

} // namespace

void CostEstimate::record(int64_t ns, int64_t programs) {
  float sample = static_cast<float>(std::max<int64_t>(ns, 1)) / static_cast<float>(programs);
  float known = nsPerProgram.load(std::memory_order_relaxed);
  // A program that was preempted must not make the kernel look expensive for long, hence the bound.
  float next = known == 0 ? sample : (known + std::min(sample, known * 8)) / 2;
  nsPerProgram.store(next, std::memory_order_relaxed);
}

int64_t blockdsl::runtime::runSmall(const Work &work) {
  double nsPerProgram = work.cost->get();
  if (nsPerProgram == 0 || (work.waits && work.programs > 1))
    return 0;
  double most = mostAlone(work, nsPerProgram * static_cast<double>(work.programs));
  if (most == 0)
    return 0;
  void *scratch;
  if (!reserveScratch(work.scratchBytes, scratch))
    return 0;
  // The first programs by themselves: a kernel whose cost lies in its arguments may be dearer than last time, and
  // nothing hears Ctrl-C in here.
  int64_t timed = std::max<int64_t>(1, work.programs / 8);
  int64_t ns = runAlone(work, 0, timed, scratch);
  if (work.context->isStopped())
    return work.programs;
  if (timed == work.programs || work.context->hasFailed()) {
    work.cost->record(ns, timed);
    return work.programs;
  }
  double each = static_cast<double>(ns) / static_cast<double>(timed);
  if (isHandedOver(each * static_cast<double>(work.programs), most)) {
    work.cost->assign(each);
    return timed;
  }
  if (most > kWorthWakingNs) { // After a pause the first programs find nothing in the caches: the others tell more.
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
  // The first launch learns from the first program, and is as long as that one if it is the only one.
  if (nsPerProgram == 0 && first < work.programs) {
    int64_t ns = runAlone(work, first, first + 1, scratch);
    ++first;
    nsPerProgram = static_cast<double>(ns);
    if (!work.context->isStopped())
      work.cost->record(ns, 1);
  }
  if (work.context->isStopped())
    return Outcome::Interrupted;
  double rest = static_cast<double>(work.programs - first);
  double ns = nsPerProgram * rest;
  auto most = static_cast<int>(std::min(static_cast<double>(work.threads), rest));
  Executor *executor = most > 1 && ns > kSmallNs ? &executorFor(threadsFor(ns, kWokenPartNs, most)) : nullptr;
  int threads = executor ? executor->threadsFor(ns, most) : 1;

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
