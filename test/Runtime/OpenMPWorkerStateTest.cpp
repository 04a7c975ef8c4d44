//===- OpenMPWorkerStateTest.cpp - Estimated state of OpenMP workers ----------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "Checks.h"
#include "OpenMPWorkerState.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>

using namespace blockdsl::runtime;

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Advances only when a test says so, independent of the load of the machine.
struct TestClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<TestClock, duration>;

  static time_point now() { return current; }
  static void pass(duration time) { current += time; }

  static inline time_point current{std::chrono::hours(1)};
};

/// A worker whose state a test sets, with a count of polls.
struct TestWorker {
  bool isAwake = true;
  mutable int polled = 0;
};

struct TestThread {
  const TestWorker *worker;

  bool mayBeAwake() const {
    ++worker->polled;
    return worker->isAwake;
  }
  bool operator==(const TestThread &other) const { return worker == other.worker; }
};

using WorkerState = BasicOpenMPWorkerState<TestClock, TestThread>;

bool isReadyIn(WorkerState &state, TestClock::duration time) {
  TestClock::pass(time);
  return state.isReady();
}

/// Waits for a condition without a time limit.
template <typename Condition> void waitUntil(Condition condition) {
  while (!condition())
    std::this_thread::sleep_for(microseconds(100));
}

void threadWithoutCPUIsAsleep() {
  std::atomic<bool> isThere{false}, sleeps{false};
  std::mutex mutex;
  mutex.lock();
  ThreadId id;
  std::thread thread([&] {
    id = ThreadId::current();
    isThere = true;
    while (!sleeps) {
    }
    std::lock_guard<std::mutex> untilUnlocked(mutex);
  });
  waitUntil([&] { return isThere.load(); });
  if (availableCPUs() > 1) // With one CPU the poll takes it away from the thread.
    waitUntil([&] { return id.mayBeAwake(); });
  if (clocksAreFine()) { // The thread spins on, but the caller has its CPU.
    cpu_set_t all, one;
    CHECK(pthread_getaffinity_np(pthread_self(), sizeof(all), &all) == 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
    CHECK(pthread_setaffinity_np(thread.native_handle(), sizeof(one), &one) == 0);
    waitUntil([&] { return !id.mayBeAwake(); });
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof(all), &all) == 0);
  }
  sleeps = true;
  int seenAsleep = 0;
  if (clocksAreFine()) // Permanently, in the end.
    waitUntil([&] { return (seenAsleep = id.mayBeAwake() ? 0 : seenAsleep + 1) == 100; });
  else
    CHECK(id.mayBeAwake());
  mutex.unlock();
  thread.join();
  waitUntil([&] { return id.ran() == -1; }); // The system keeps its clock for a moment.
  CHECK(id.mayBeAwake());
}

void sleepingWorkerIsNotReady() {
  WorkerState state;
  CHECK(state.isReady()); // No worker is known.
  TestWorker worker;
  state.recordRegion(TestThread{&worker}, {});
  CHECK(isReadyIn(state, milliseconds(1)));
  worker.isAwake = false;
  CHECK(isReadyIn(state, microseconds(100))); // The state was polled just before.
  for (int i = 0; i < 5; ++i)
    CHECK(!isReadyIn(state, milliseconds(1)));
  CHECK(!isReadyIn(state, milliseconds(10)));
  worker.isAwake = true;
  CHECK(!state.isReady());
  CHECK(isReadyIn(state, milliseconds(1)));
  CHECK(worker.polled == 8);
}

void workerThatSpunIsNotPolledEarlier() {
  WorkerState state;
  TestWorker worker;
  state.recordRegion(TestThread{&worker}, {});
  CHECK(isReadyIn(state, milliseconds(1))); // Polled: the worker spins for at least a millisecond.
  state.recordRegion(TestThread{&worker}, {});
  worker.isAwake = false;
  CHECK(state.isKnownToSpin());
  CHECK(isReadyIn(state, microseconds(900)));
  CHECK(isReadyIn(state, microseconds(100)));
  CHECK(state.isKnownToSpin());
  TestClock::pass(microseconds(1));
  CHECK(!state.isKnownToSpin());
  CHECK(!state.isReady());
  state.recordRegion(TestThread{&worker}, {});
  CHECK(!isReadyIn(state, microseconds(600))); // The worker was asleep, which resets the spinning time.
  worker.isAwake = true;
  CHECK(isReadyIn(state, milliseconds(1)));
  state.recordRegion(TestThread{&worker}, milliseconds(1)); // So does a delay.
  worker.isAwake = false;
  CHECK(!isReadyIn(state, microseconds(600)));
}

void spinningIsAssumedForLimitedTime() {
  WorkerState state;
  TestWorker worker;
  state.recordRegion(TestThread{&worker}, {});
  CHECK(isReadyIn(state, milliseconds(30))); // Perhaps because of another library's region.
  state.recordRegion(TestThread{&worker}, {});
  worker.isAwake = false;
  TestClock::pass(milliseconds(6));
  CHECK(!state.isKnownToSpin());
  CHECK(!state.isReady());
}

void idleWorkerIsPolledSeldom() {
  WorkerState state;
  TestWorker worker;
  worker.isAwake = false;
  state.recordRegion(TestThread{&worker}, {});
  auto areAsleep = [&](int launches, TestClock::duration pause) {
    int before = worker.polled;
    for (int i = 0; i < launches; ++i)
      CHECK(!isReadyIn(state, pause));
    return worker.polled - before;
  };
  CHECK(areAsleep(40, milliseconds(5)) == 40); // These pauses are not long.
  CHECK(areAsleep(kIdleStreak, milliseconds(6)) == kIdleStreak);
  CHECK(areAsleep(3 * (kSkippedPolls + 1), milliseconds(6)) == 3);
  CHECK(areAsleep(5, milliseconds(1)) == 5);
  worker.isAwake = true; // As after an op of torch's, which a few launches miss.
  int launches = 1;
  while (!isReadyIn(state, milliseconds(6)))
    CHECK(++launches <= kSkippedPolls + 1);
  CHECK(launches > 1);
  worker.isAwake = false;
  CHECK(areAsleep(kIdleStreak + kSkippedPolls, milliseconds(6)) == kIdleStreak);
  state.recordRegion(TestThread{&worker}, milliseconds(1)); // The worker slept.
  CHECK(areAsleep(2 + kSkippedPolls, milliseconds(6)) == 2);
  TestWorker next;
  state.recordRegion(TestThread{&next}, milliseconds(1)); // Independent of the worker before.
  CHECK(isReadyIn(state, milliseconds(6)) && next.polled == 1);
  state.recordRegion(TestThread{&worker}, {});
  CHECK(areAsleep(kIdleStreak, milliseconds(6)) == kIdleStreak);
}

void nextWorkerIsPolled() {
  WorkerState state;
  TestWorker worker, next{false};
  state.recordRegion(TestThread{&worker}, {});
  CHECK(isReadyIn(state, milliseconds(1)));
  state.recordRegion(TestThread{&next}, {});
  TestClock::pass(microseconds(1));
  CHECK(!state.isKnownToSpin()); // Independent of the worker before.
  CHECK(!isReadyIn(state, microseconds(600)));
  state.recordRegion(std::nullopt, {}); // A region of one thread.
  CHECK(isReadyIn(state, milliseconds(1)));
}

void delaysStartABackoff() {
  WorkerState state;
  TestWorker worker;
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // Perhaps due to the runtime's own workers.
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, microseconds(5));
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // A single delay.
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, microseconds(5));
  state.recordRegion(TestThread{&worker}, milliseconds(40));
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // A backoff of 160 ms.
  CHECK(!state.isReady());
  CHECK(!isReadyIn(state, milliseconds(159)));
  CHECK(isReadyIn(state, milliseconds(1)));
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // Ignored after a launch without a region.
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // A backoff of 320 ms.
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // A backoff of 640 ms.
  CHECK(!isReadyIn(state, milliseconds(639)));
  CHECK(isReadyIn(state, milliseconds(1)));
  for (int i = 0; i < 5; ++i)
    state.recordRegion(TestThread{&worker}, {});
  state.recordRegion(TestThread{&worker}, milliseconds(40));
  state.recordRegion(TestThread{&worker}, milliseconds(40)); // A backoff of 160 ms.
  CHECK(!isReadyIn(state, milliseconds(159)));
  CHECK(isReadyIn(state, milliseconds(1)));
}

void frequentLaunchesEndABackoffEarly() {
  WorkerState state;
  TestWorker worker;
  auto holdUp = [&] {
    state.recordRegion(TestThread{&worker}, milliseconds(40));
    CHECK(state.isReady());
    state.recordRegion(TestThread{&worker}, milliseconds(40));
  };
  auto launchesUntilReady = [&](TestClock::duration gap) {
    int launches = 1;
    while (!isReadyIn(state, gap))
      ++launches;
    return launches;
  };
  state.recordRegion(TestThread{&worker}, {});
  CHECK(state.isReady());
  holdUp(); // A backoff of 160 ms, or of 20 with frequent launches.
  CHECK(launchesUntilReady(milliseconds(10)) == 16);
  for (int repeat = 0; repeat < 2; ++repeat)
    state.recordRegion(TestThread{&worker}, {});
  holdUp();
  CHECK(launchesUntilReady(microseconds(9999)) == 3);
  for (int repeat = 0; repeat < 2; ++repeat)
    state.recordRegion(TestThread{&worker}, {});
  holdUp();
  for (int op = 0; op < 2; ++op) { // A delayed op, and launches after it.
    CHECK(!isReadyIn(state, milliseconds(40)));
    for (int launch = 0; launch < 19; ++launch)
      CHECK(!isReadyIn(state, microseconds(1000)));
  }
  CHECK(isReadyIn(state, milliseconds(1)));
  // The next delay starts a longer backoff.
  state.recordRegion(TestThread{&worker}, milliseconds(40));
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, milliseconds(40));
  CHECK(launchesUntilReady(milliseconds(1)) == 40);
  // Delays about as short as a poll end no backoff early.
  for (int repeat = 0; repeat < 5; ++repeat)
    state.recordRegion(TestThread{&worker}, {});
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, microseconds(80));
  CHECK(state.isReady());
  state.recordRegion(TestThread{&worker}, microseconds(80));
  CHECK(launchesUntilReady(microseconds(10)) == 32);
}

} // namespace

int main() {
  return runTests({
      {"a thread without a CPU is asleep", threadWithoutCPUIsAsleep},
      {"a sleeping worker is not ready", sleepingWorkerIsNotReady},
      {"a worker that spun is not polled earlier", workerThatSpunIsNotPolledEarlier},
      {"spinning is assumed for a limited time", spinningIsAssumedForLimitedTime},
      {"an idle worker is polled seldom", idleWorkerIsPolledSeldom},
      {"the next worker is polled", nextWorkerIsPolled},
      {"delays start a backoff", delaysStartABackoff},
      {"frequent launches end a backoff early", frequentLaunchesEndABackoffEarly},
  });
}
