//===- Waiting.cpp - Programs that wait for each other ------------------------------------------------------------===//

#include "Waiting.h"

#include "blockdsl/Runtime/Interruption.h"
#include "blockdsl/Runtime/RunningLaunch.h"

#include "Arena.h"
#include "Threads.h"

#include <sched.h>
#include <utility>

using namespace blockdsl::runtime;

namespace {

/// A loop that waits looks at the clock once in so many turns ...
constexpr uint32_t kTurnsBetweenLooks = 64;
/// ... and does something else than wait if they took longer.
constexpr auto kLongestLook = std::chrono::microseconds(kTurnsBetweenLooks);
/// When no program has begun or ended for so long, those that run may be waiting for one that has not begun.
constexpr auto kPatience = std::chrono::microseconds(100);
/// A thread that has waited for longer sleeps between two looks.
constexpr auto kLongWait = std::chrono::milliseconds(1);
constexpr auto kNap = std::chrono::microseconds(50);
/// Where all programs that run wait, and no thread can be started for the next, it may become possible within so long.
constexpr auto kHope = std::chrono::seconds(1);

/// What a thread remembers of the wait it is in.
struct Wait {
  uint32_t turns = 0;
  const Helpers *launch = nullptr;
  int64_t progress = 0;
  Clock::time_point began, looked, patientSince;
  /// The last round that it has answered in.
  uint64_t answered = 0;
};

thread_local Wait wait;

} // namespace

Helpers::Helpers(Job &job) : job(job) { job.work.context->helpers = this; }

Helpers::~Helpers() { job.work.context->helpers = nullptr; }

bool Helpers::waitUntilLeft(std::chrono::nanoseconds limit) {
  if (uint32_t seen = running.load())
    sleepOn(running, seen, limit);
  return running.load() == 0;
}

void *Helpers::helperMain(void *self) {
  auto &helpers = *static_cast<Helpers *>(self);
  RunningLaunch launch(helpers.job.work.context);
  Arena arena;
  void *scratch = arena.reserve(helpers.job.work.scratchBytes);
  if (scratch || helpers.job.work.scratchBytes == 0) {
    Participant helper(helpers.job, 0, scratch);
    while (helper.runChunk()) {
    }
  }
  // The launch may be gone as soon as the count is zero, but for the word's address, which a wake may name in any case.
  Word &running = helpers.running;
  running.fetch_sub(1);
  wakeSleepers(running, 1);
  return nullptr;
}

bool Helpers::start() {
  running.fetch_add(1);
  bool started = startThread(helperMain, this);
  if (!started)
    running.fetch_sub(1);
  return started;
}

/// Called by a thread that waits, after no thread could be started for the next program. Stops the launch if all of its
/// threads wait, and have done so for long.
void Helpers::stopIfStuck(Clock::time_point now, int64_t progress) {
  std::lock_guard<std::mutex> lock(asking);
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
  if (roundBegan - stuckSince < kHope)
    return beginRound();
  job.work.context->lacksThreads.store(true);
  stopPrograms(*job.work.context);
}

void Helpers::seeToProgress() {
  Clock::time_point now = Clock::now();
  int64_t progress = job.progress.load(std::memory_order_relaxed);
  bool isSame = wait.launch == this && now - wait.looked <= kLongestLook + kNap * 2;
  wait.looked = now;
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
    if (!start())
      stopIfStuck(now, progress);
  }
  if (now - wait.began < kLongWait)
    sched_yield();
  else
    std::this_thread::sleep_for(kNap);
  wait.looked = Clock::now();
}

extern "C" int32_t blockdsl_wait(void *context) {
  auto &launch = *static_cast<LaunchContext *>(context);
  relax();
  if (++wait.turns % kTurnsBetweenLooks == 0 && launch.helpers)
    launch.helpers->seeToProgress();
  return launch.poll->load(std::memory_order_relaxed) != 0 ? blockdsl_should_stop(context) : 0;
}

extern "C" int64_t blockdsl_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}
