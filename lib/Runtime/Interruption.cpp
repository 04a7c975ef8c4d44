//===- Interruption.cpp - Programs that end before they are through -----------------------------------------------===//

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Futex.h"
#include "Threads.h"

#include <pthread.h>
#include <unistd.h>

using namespace blockdsl::runtime;

const PollWord blockdsl::runtime::kNeverPolled{0};

namespace {

constexpr auto kTick = std::chrono::milliseconds(25);
/// After so many ticks without a launch the watcher sleeps until the next one.
constexpr int kIdleTicks = 40;

/// Launches that are watched one at a time: outermost ones on the process's first thread, and those on others for as
/// long as they keep all others from running.
struct Seat {
  /// What the loops of these launches look at.
  PollWord poll{0};
  /// Odd during a launch.
  Word launches{0};
};

Seat first, others;
std::atomic<bool> isStopping{false};
Word watcherSleeps{0};
std::atomic<bool> isWatched{false};

const void *thisThread() {
  static thread_local char mark;
  return &mark;
}

Seat &seatOf(const LaunchContext &context) { return context.poll == &first.poll ? first : others; }

bool findFirstThread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  return false;
#endif
}

/// A child of fork has one thread, the one that forked, and no watcher.
thread_local int isFirst = -1;

void forgetInChild() {
  // The first thread may have been in a launch; and the one that forked is that in the child.
  if (isFirst != 1)
    first.launches.store(0);
  isFirst = -1;
  isWatched = false;
  watcherSleeps.store(0);
}

bool isFirstThread() {
  if (isFirst < 0)
    isFirst = findFirstThread();
  return isFirst != 0;
}

/// One tick. Whether a launch has begun or ended since the last one, or still runs.
bool watchSeat(Seat &seat, uint32_t &before) {
  uint32_t now = seat.launches.load();
  bool isSame = now == before;
  before = now;
  if (isSame && now % 2 != 0)
    seat.poll.store(1, std::memory_order_relaxed);
  return !isSame || now % 2 != 0;
}

void *watch(void *) {
  uint32_t before[2] = {0, 0};
  int idle = 0;
  for (;;) {
    std::this_thread::sleep_for(kTick);
    bool isBusy = watchSeat(first, before[0]);
    isBusy = watchSeat(others, before[1]) || isBusy;
    if (isBusy) {
      idle = 0;
    } else if (++idle == kIdleTicks) {
      idle = 0;
      watcherSleeps.store(1);
      // A launch that began meanwhile has either seen the store, or is seen here.
      while (watcherSleeps.load() == 1 && first.launches.load() == before[0] && others.launches.load() == before[1])
        sleepOn(watcherSleeps, 1, std::chrono::hours(1));
      watcherSleeps.store(0);
    }
  }
  return nullptr;
}

/// Makes sure that somebody watches the launch that has just begun.
void ensureWatched() {
  if (watcherSleeps.load() != 0) {
    watcherSleeps.store(0);
    wakeSleepers(watcherSleeps, 1);
  }
  if (isWatched)
    return;
  static const int registered = pthread_atfork(nullptr, nullptr, forgetInChild);
  (void)registered;
  isWatched = startThread(watch, nullptr);
}

} // namespace

Interruptible::Interruptible(LaunchContext &context, bool (*ask)(void *), void *argument) : context(context) {
  bool isOnFirst = isFirstThread();
  if (!isOnFirst && isStopping.load(std::memory_order_relaxed))
    return;
  Seat &seat = isOnFirst ? first : others;
  context.poll = &seat.poll;
  context.ask = ask;
  context.askArgument = argument;
  context.thread = thisThread();
  // A signal handler that a program was interrupted for may launch kernels itself.
  uint32_t ended = seat.launches.load(std::memory_order_relaxed);
  isCounted = ended % 2 == 0 && seat.launches.compare_exchange_strong(ended, ended + 1);
  if (isCounted)
    ensureWatched();
}

void Interruptible::endCount() {
  if (!isCounted)
    return;
  isCounted = false;
  Seat &seat = seatOf(context);
  seat.launches.fetch_add(1, std::memory_order_release);
  if (!isStopping.load(std::memory_order_relaxed))
    seat.poll.store(0, std::memory_order_relaxed);
}

void Interruptible::letOthersRun() {
  if (context.poll == &others.poll)
    endCount();
}

Interruptible::~Interruptible() { endCount(); }

void blockdsl::runtime::stopPrograms(LaunchContext &context) {
  context.stopped.store(true);
  // Until the launch has ended, for the programs on other threads. Those of launches that go on find nothing to do.
  if (context.thread)
    seatOf(context).poll.store(1);
}

void blockdsl::runtime::stopLaunches() {
  isStopping.store(true);
  first.poll.store(1);
  others.poll.store(1);
}

extern "C" int32_t blockdsl_should_stop(void *context) {
  auto &launch = *static_cast<LaunchContext *>(context);
  if (launch.isStopped())
    return 1;
  if (launch.thread != thisThread())
    return 0;
  Seat &seat = seatOf(launch);
  // All launches of other threads have to hear that they stop.
  if (&seat == &first || !isStopping.load(std::memory_order_relaxed))
    seat.poll.store(0, std::memory_order_relaxed);
  // What a handler launches must not write into the scratch memory of the program that waits here.
  // A thread that has none, or no memory for it, has nothing to keep.
  Arena own, *threads = ThreadOwned<Arena>::get();
  if (threads)
    std::swap(own, *threads);
  bool stops = launch.ask(launch.askArgument);
  if (threads)
    std::swap(own, *threads);
  if (stops)
    stopPrograms(launch);
  return stops;
}
