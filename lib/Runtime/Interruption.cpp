//===- Interruption.cpp - Programs that end before they are through -----------------------------------------------===//

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Futex.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

using namespace blockdsl::runtime;

const PollWord blockdsl::runtime::kNeverPolled{0};

namespace {

constexpr auto kTick = std::chrono::milliseconds(25);
/// After so many ticks without a launch the watcher sleeps until the next one.
constexpr int kIdleTicks = 40;

/// One for the process: there is one thread whose launches can be interrupted.
PollWord poll{0};
/// Odd while that thread is in a launch.
Word launches{0};
Word watcherSleeps{0};
bool isWatched = false;

const void *thisThread() {
  static thread_local char mark;
  return &mark;
}

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
  isFirst = -1;
  isWatched = false;
  watcherSleeps.store(0);
}

bool isFirstThread() {
  if (isFirst < 0)
    isFirst = findFirstThread();
  return isFirst != 0;
}

void *watch(void *) {
  uint32_t before = 0;
  int idle = 0;
  for (;;) {
    std::this_thread::sleep_for(kTick);
    uint32_t now = launches.load();
    bool isSame = now == before;
    before = now;
    if (!isSame) {
      idle = 0;
    } else if (now % 2 != 0) {
      poll.store(1, std::memory_order_relaxed);
    } else if (++idle == kIdleTicks) {
      idle = 0;
      watcherSleeps.store(1);
      // A launch that began meanwhile has either seen the store, or is seen here.
      while (watcherSleeps.load() == 1 && launches.load() == now)
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
  // Signals belong to the threads that Python knows.
  sigset_t all, earlier;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &earlier);
  pthread_t thread;
  isWatched = pthread_create(&thread, nullptr, watch, nullptr) == 0;
  if (isWatched)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &earlier, nullptr);
}

} // namespace

Interruptible::Interruptible(LaunchContext &context, bool (*ask)(void *), void *argument) {
  if (!isFirstThread())
    return;
  context.poll = &poll;
  context.ask = ask;
  context.askArgument = argument;
  context.thread = thisThread();
  // A signal handler that a program was interrupted for may launch kernels itself.
  isOutermost = launches.load(std::memory_order_relaxed) % 2 == 0;
  if (!isOutermost)
    return;
  launches.fetch_add(1);
  ensureWatched();
}

Interruptible::~Interruptible() {
  if (!isOutermost)
    return;
  launches.fetch_add(1, std::memory_order_release);
  poll.store(0, std::memory_order_relaxed);
}

void blockdsl::runtime::stopPrograms(LaunchContext &context) {
  context.stopped.store(true);
  // Until the launch has ended, for the programs on other threads. Those of launches that go on find nothing to do.
  if (context.thread)
    poll.store(1);
}

extern "C" int32_t blockdsl_should_stop(void *context) {
  auto &launch = *static_cast<LaunchContext *>(context);
  if (launch.isStopped())
    return 1;
  if (launch.thread != thisThread())
    return 0;
  poll.store(0, std::memory_order_relaxed);
  // What a handler launches must not write into the scratch memory of the program that waits here.
  Arena own;
  std::swap(own, callersArena());
  bool stops = launch.ask(launch.askArgument);
  std::swap(own, callersArena());
  if (stops)
    stopPrograms(launch);
  return stops;
}
