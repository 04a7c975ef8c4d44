//===- ProgramDependencies.cpp - Progress of programs that wait for each other ------------------------------------===//

#include "ProgramDependencies.h"

#include "blockdsl/Runtime/Interruption.h"
#include "blockdsl/Runtime/RunningLaunch.h"

#include "Arena.h"
#include "Participant.h"
#include "Threads.h"

#include <sched.h>
#include <utility>

using namespace blockdsl::runtime;

namespace {

/// Iterations of a waiting loop between two reads of the clock.
constexpr uint32_t kCheckInterval = 64;
/// A loop that takes longer for kCheckInterval iterations does other work than waiting.
constexpr auto kLongestCheck = std::chrono::microseconds(kCheckInterval);
/// If no program has started or ended for this long, the running ones may wait for one that has not started.
constexpr auto kPatience = std::chrono::microseconds(100);
/// After this long a waiting thread sleeps for kNap between two checks.
constexpr auto kLongWait = std::chrono::milliseconds(1);
constexpr auto kNap = std::chrono::microseconds(50);
/// Time during which a thread for the next program may become available.
constexpr auto kStartTimeout = std::chrono::seconds(1);

/// The current wait of a thread.
struct Wait {
  uint32_t iterations = 0;
  const ProgramDependencies *launch = nullptr;
  int64_t progress = 0;
  Clock::time_point began, checked, patientSince;
  /// The last round that the thread has answered.
  uint64_t answered = 0;
};

thread_local Wait wait;

} // namespace

ProgramDependencies::ProgramDependencies(Job &job) : job(job) { job.work.context->dependencies = this; }

ProgramDependencies::~ProgramDependencies() { job.work.context->dependencies = nullptr; }

bool ProgramDependencies::waitForHelpers(std::chrono::nanoseconds limit) {
  if (uint32_t seen = running.load())
    sleepOn(running, seen, limit);
  return running.load() == 0;
}

void *ProgramDependencies::helperMain(void *self) {
  auto &dependencies = *static_cast<ProgramDependencies *>(self);
  RunningLaunch launch(dependencies.job.work.context);
  Arena arena;
  void *scratch = arena.reserve(dependencies.job.work.scratchBytes);
  if (scratch || dependencies.job.work.scratchBytes == 0) {
    Participant helper(dependencies.job, 0, scratch);
    while (helper.runChunk()) {
    }
  }
  // The launch may end as soon as the count is zero. Waking needs only the address of the word, which may be stale.
  Word &running = dependencies.running;
  running.fetch_sub(1);
  wakeSleepers(running, 1);
  return nullptr;
}

bool ProgramDependencies::startHelper() {
  running.fetch_add(1);
  bool started = startThread(helperMain, this);
  if (!started)
    running.fetch_sub(1);
  return started;
}

/// Stops the launch if all of its threads have waited for long. Called by a waiting thread that failed to start a
/// helper.
void ProgramDependencies::stopIfStuck(Clock::time_point now, int64_t progress) {
  std::lock_guard<std::mutex> lock(answering);
  auto beginRound = [&] {
    ++round;
    answers = 0;
    roundBegan = now;
  };
  if (stuckAt != progress) {
    stuckAt = progress;
    stuckSince = now;
    beginRound();
  }
  if (std::exchange(wait.answered, round) != round)
    ++answers;
  if (answers < job.running.load())
    return;
  if (roundBegan - stuckSince < kStartTimeout)
    return beginRound();
  job.work.context->lacksThreads.store(true);
  stopPrograms(*job.work.context);
}

void ProgramDependencies::ensureProgress() {
  Clock::time_point now = Clock::now();
  int64_t progress = job.progress.load(std::memory_order_relaxed);
  bool isSame = wait.launch == this && now - wait.checked <= kLongestCheck + kNap * 2;
  wait.checked = now;
  if (!isSame || wait.progress != progress) {
    if (!isSame) {
      wait.began = now;
      wait.answered = 0;
    }
    wait.launch = this;
    wait.progress = progress;
    wait.patientSince = now;
    return;
  }
  if (now - wait.patientSince >= kPatience && job.ranges[0].left() != 0) {
    wait.patientSince = now;
    if (!startHelper())
      stopIfStuck(now, progress);
  }
  if (now - wait.began < kLongWait)
    sched_yield();
  else
    std::this_thread::sleep_for(kNap);
  wait.checked = Clock::now();
}

extern "C" int32_t blockdsl_wait(void *context) {
  auto &launch = *static_cast<LaunchContext *>(context);
  relax();
  if (++wait.iterations % kCheckInterval == 0 && launch.dependencies)
    launch.dependencies->ensureProgress();
  return launch.poll->load(std::memory_order_relaxed) != 0 ? blockdsl_should_stop(context) : 0;
}

extern "C" int64_t blockdsl_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}
