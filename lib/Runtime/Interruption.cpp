//===- Interruption.cpp - Interruption of running programs --------------------------------------------------------===//

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
/// Number of ticks without a launch after which the watcher sleeps until the next one.
constexpr int kIdleTicks = 40;

/// State of one kind of launches, one of which is watched at a time: outermost launches on the process's first thread,
/// or launches on other threads that still hold the GIL.
struct Seat {
  /// The poll word of the loops of these launches.
  PollWord poll{0};
  /// Incremented at the start and the end of a launch, so odd during one.
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

/// Whether this thread is the process's first one; -1 while unknown. In a child of fork it is the only one.
thread_local int isFirst = -1;

/// Resets the state in a child of fork, which has no watcher.
void resetInChild() {
  // The first thread may have been in a launch. In the child the forking thread is the first one.
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

/// Checks a seat at a tick. Returns true if a launch runs or one has started or ended since the last tick.
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
      // A launch that started meanwhile either has seen the store or is seen here.
      while (watcherSleeps.load() == 1 && first.launches.load() == before[0] && others.launches.load() == before[1])
        sleepOn(watcherSleeps, 1, std::chrono::hours(1));
      watcherSleeps.store(0);
    }
  }
  return nullptr;
}

/// Wakes or starts the watcher for a launch that has just started.
void ensureWatched() {
  if (watcherSleeps.load() != 0) {
    watcherSleeps.store(0);
    wakeSleepers(watcherSleeps, 1);
  }
  if (isWatched)
    return;
  static const int registered = pthread_atfork(nullptr, nullptr, resetInChild);
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
  // A signal handler that runs during a launch may launch kernels itself.
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
  // Set until the launch has ended, for programs on other threads. Programs of other launches just continue.
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
  // While launches are stopped, the word of other threads stays set for all of them.
  if (&seat == &first || !isStopping.load(std::memory_order_relaxed))
    seat.poll.store(0, std::memory_order_relaxed);
  // Launches of a signal handler must not use the scratch memory of the program that waits here.
  Arena arena, *threads = ThreadOwned<Arena>::get();
  if (threads)
    std::swap(arena, *threads);
  bool stops = launch.ask(launch.askArgument);
  if (threads)
    std::swap(arena, *threads);
  if (stops)
    stopPrograms(launch);
  return stops;
}
