//===- TeamTest.cpp - Whether a thread's OpenMP workers are taken for ready ---------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "Checks.h"
#include "Team.h"

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

/// Stands still but for what a test says: no test lasts longer because the machine has other things to do.
struct TestClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<TestClock, duration>;

  static time_point now() { return current; }
  static void pass(duration time) { current += time; }

  static inline time_point current{std::chrono::hours(1)};
};

/// A worker that spins, sleeps or has ended as a test says, and counts how often it is asked about.
struct TestWorker {
  bool isAwake = true;
  mutable int asked = 0;
};

struct TestThread {
  const TestWorker *worker;

  bool mayBeAwake() const {
    ++worker->asked;
    return worker->isAwake;
  }
  bool operator==(const TestThread &other) const { return worker == other.worker; }
};

using Team = TeamBy<TestClock, TestThread>;

bool isReadyIn(Team &team, TestClock::duration time) {
  TestClock::pass(time);
  return team.isReady();
}

/// Waits for the system, however long it takes.
template <typename Condition> void waitUntil(Condition condition) {
  while (!condition())
    std::this_thread::sleep_for(microseconds(100));
}

void whoHasNoCPUIsNotAwake() {
  std::atomic<bool> isThere{false}, sleeps{false};
  std::mutex mutex;
  mutex.lock();
  ThreadId id;
  std::thread thread([&] {
    id = ThreadId::own();
    isThere = true;
    while (!sleeps) {
    }
    std::lock_guard<std::mutex> untilUnlocked(mutex);
  });
  waitUntil([&] { return isThere.load(); });
  if (availableCPUs() > 1) // Else it has none while it is asked about.
    waitUntil([&] { return id.mayBeAwake(); });
  if (clocksAreFine()) { // It spins on, but the caller has its CPU.
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
  if (clocksAreFine()) // For good, in the end.
    waitUntil([&] { return (seenAsleep = id.mayBeAwake() ? 0 : seenAsleep + 1) == 100; });
  else
    CHECK(id.mayBeAwake());
  mutex.unlock();
  thread.join();
  waitUntil([&] { return id.ran() == -1; }); // The system shows it for a moment longer.
  CHECK(id.mayBeAwake());
}

void whoSleepsIsNotReady() {
  Team team;
  CHECK(team.isReady()); // Nobody has been met.
  TestWorker worker;
  team.meet(TestThread{&worker}, {});
  CHECK(isReadyIn(team, milliseconds(1)));
  worker.isAwake = false;
  CHECK(isReadyIn(team, microseconds(100))); // What has just been asked is believed.
  for (int i = 0; i < 5; ++i)
    CHECK(!isReadyIn(team, milliseconds(1)));
  CHECK(!isReadyIn(team, milliseconds(10)));
  worker.isAwake = true;
  CHECK(!team.isReady());
  CHECK(isReadyIn(team, milliseconds(1)));
  CHECK(worker.asked == 8);
}

void whoSpunForSoLongIsNotAskedBefore() {
  Team team;
  TestWorker worker;
  team.meet(TestThread{&worker}, {});
  CHECK(isReadyIn(team, milliseconds(1))); // Asked: they spin for a millisecond at least.
  team.meet(TestThread{&worker}, {});
  worker.isAwake = false;
  CHECK(team.isKnownToSpin());
  CHECK(isReadyIn(team, microseconds(900)));
  CHECK(isReadyIn(team, microseconds(100)));
  CHECK(team.isKnownToSpin());
  TestClock::pass(microseconds(1));
  CHECK(!team.isKnownToSpin());
  CHECK(!team.isReady());
  team.meet(TestThread{&worker}, {});
  CHECK(!isReadyIn(team, microseconds(600))); // They were asleep, so nothing is known any more.
  worker.isAwake = true;
  CHECK(isReadyIn(team, milliseconds(1)));
  team.meet(TestThread{&worker}, milliseconds(1)); // Nor when they come late.
  worker.isAwake = false;
  CHECK(!isReadyIn(team, microseconds(600)));
}

void nobodyIsBelievedToSpinForLong() {
  Team team;
  TestWorker worker;
  team.meet(TestThread{&worker}, {});
  CHECK(isReadyIn(team, milliseconds(30))); // Because of a launch by somebody else, perhaps.
  team.meet(TestThread{&worker}, {});
  worker.isAwake = false;
  TestClock::pass(milliseconds(6));
  CHECK(!team.isKnownToSpin());
  CHECK(!team.isReady());
}

void whoSleptAfterManyPausesIsSeldomAsked() {
  Team team;
  TestWorker worker;
  worker.isAwake = false;
  team.meet(TestThread{&worker}, {});
  auto areAsleep = [&](int launches, TestClock::duration pause) {
    int before = worker.asked;
    for (int i = 0; i < launches; ++i)
      CHECK(!isReadyIn(team, pause));
    return worker.asked - before;
  };
  CHECK(areAsleep(40, milliseconds(5)) == 40); // Not that long.
  CHECK(areAsleep(kPausesAsleep, milliseconds(6)) == kPausesAsleep);
  CHECK(areAsleep(3 * (kPausesUnasked + 1), milliseconds(6)) == 3);
  CHECK(areAsleep(5, milliseconds(1)) == 5);
  worker.isAwake = true; // From an op of torch's; a few launches do without them.
  int launches = 1;
  while (!isReadyIn(team, milliseconds(6)))
    CHECK(++launches <= kPausesUnasked + 1);
  CHECK(launches > 1);
  worker.isAwake = false;
  CHECK(areAsleep(kPausesAsleep + kPausesUnasked, milliseconds(6)) == kPausesAsleep);
  team.meet(TestThread{&worker}, milliseconds(1)); // They slept.
  CHECK(areAsleep(2 + kPausesUnasked, milliseconds(6)) == 2);
  TestWorker next;
  team.meet(TestThread{&next}, milliseconds(1)); // What another one did says nothing.
  CHECK(isReadyIn(team, milliseconds(6)) && next.asked == 1);
  team.meet(TestThread{&worker}, {});
  CHECK(areAsleep(kPausesAsleep, milliseconds(6)) == kPausesAsleep);
}

void whoIsMetNextIsAskedAbout() {
  Team team;
  TestWorker worker, next{false};
  team.meet(TestThread{&worker}, {});
  CHECK(isReadyIn(team, milliseconds(1)));
  team.meet(TestThread{&next}, {});
  TestClock::pass(microseconds(1));
  CHECK(!team.isKnownToSpin()); // What another one did says nothing.
  CHECK(!isReadyIn(team, microseconds(600)));
  team.meet(std::nullopt, {}); // A region of one thread.
  CHECK(isReadyIn(team, milliseconds(1)));
}

void whoWasHeldUpDoesWithoutForAWhile() {
  Team team;
  TestWorker worker;
  team.meet(TestThread{&worker}, milliseconds(40)); // Our own workers' doing, perhaps.
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, microseconds(5));
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, milliseconds(40)); // Chance.
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, microseconds(5));
  team.meet(TestThread{&worker}, milliseconds(40));
  team.meet(TestThread{&worker}, milliseconds(40)); // For 160 ms.
  CHECK(!team.isReady());
  CHECK(!isReadyIn(team, milliseconds(159)));
  CHECK(isReadyIn(team, milliseconds(1)));
  team.meet(TestThread{&worker}, milliseconds(40)); // After a launch that was none, neither.
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, milliseconds(40)); // For 320 ms.
  team.meet(TestThread{&worker}, milliseconds(40)); // For 640 ms.
  CHECK(!isReadyIn(team, milliseconds(639)));
  CHECK(isReadyIn(team, milliseconds(1)));
  for (int i = 0; i < 5; ++i)
    team.meet(TestThread{&worker}, {});
  team.meet(TestThread{&worker}, milliseconds(40));
  team.meet(TestThread{&worker}, milliseconds(40)); // For 160 ms.
  CHECK(!isReadyIn(team, milliseconds(159)));
  CHECK(isReadyIn(team, milliseconds(1)));
}

/// Torch's ops, too, would be held up by who still holds workers up.
void whoComesQuicklyDoesWithoutForLess() {
  Team team;
  TestWorker worker;
  auto holdUp = [&] {
    team.meet(TestThread{&worker}, milliseconds(40));
    CHECK(team.isReady());
    team.meet(TestThread{&worker}, milliseconds(40));
  };
  auto launchesUntilReady = [&](TestClock::duration gap) {
    int launches = 1;
    while (!isReadyIn(team, gap))
      ++launches;
    return launches;
  };
  team.meet(TestThread{&worker}, {});
  CHECK(team.isReady());
  holdUp(); // For 160 ms, or for 20.
  CHECK(launchesUntilReady(milliseconds(10)) == 16);
  for (int repeat = 0; repeat < 2; ++repeat)
    team.meet(TestThread{&worker}, {});
  holdUp();
  CHECK(launchesUntilReady(microseconds(9999)) == 3);
  for (int repeat = 0; repeat < 2; ++repeat)
    team.meet(TestThread{&worker}, {});
  holdUp();
  for (int op = 0; op < 2; ++op) { // One that is held up, and launches after it.
    CHECK(!isReadyIn(team, milliseconds(40)));
    for (int launch = 0; launch < 19; ++launch)
      CHECK(!isReadyIn(team, microseconds(1000)));
  }
  CHECK(isReadyIn(team, milliseconds(1)));
  // Held up again, it does without for longer.
  team.meet(TestThread{&worker}, milliseconds(40));
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, milliseconds(40));
  CHECK(launchesUntilReady(milliseconds(1)) == 40);
  // What is no longer than it takes to ask is not worth the haste.
  for (int repeat = 0; repeat < 5; ++repeat)
    team.meet(TestThread{&worker}, {});
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, microseconds(80));
  CHECK(team.isReady());
  team.meet(TestThread{&worker}, microseconds(80));
  CHECK(launchesUntilReady(microseconds(10)) == 32);
}

} // namespace

int main() {
  return runTests({
      {"who has no CPU is not awake", whoHasNoCPUIsNotAwake},
      {"who sleeps is not ready", whoSleepsIsNotReady},
      {"who spun for so long is not asked before", whoSpunForSoLongIsNotAskedBefore},
      {"nobody is believed to spin for long", nobodyIsBelievedToSpinForLong},
      {"who slept after many pauses is seldom asked", whoSleptAfterManyPausesIsSeldomAsked},
      {"who is met next is asked about", whoIsMetNextIsAskedAbout},
      {"who was held up does without for a while", whoWasHeldUpDoesWithoutForAWhile},
      {"who comes quickly does without for less", whoComesQuicklyDoesWithoutForLess},
  });
}
