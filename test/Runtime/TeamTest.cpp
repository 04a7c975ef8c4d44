//===- TeamTest.cpp - Whether a thread's OpenMP workers are taken for ready ---------------------------------------===//

#include "Checks.h"

#include "Team.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
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

using Team = TeamBy<TestClock>;

/// Waits for the system, however long it takes.
template <typename Condition> void waitUntil(Condition condition) {
  while (!condition())
    std::this_thread::sleep_for(microseconds(100));
}

/// A worker that spins, or sleeps, as it is told; when it has been told, it does.
class Worker {
public:
  Worker() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return state != Beginning; });
  }
  ~Worker() { end(); }

  void sleep() {
    tell(Asleep);
    waitUntil([&] { return shown() != 'r'; });
  }
  void wake() {
    int64_t before = id.ran();
    tell(Awake);
    // Some systems count what a thread has run by the tick.
    waitUntil([&] { return shown() == 'r' && id.ran() > before; });
  }
  void end() {
    if (!thread.joinable())
      return;
    tell(Ended);
    thread.join();
    // A thread that has been waited for is shown for a moment longer.
    waitUntil([&] { return shown() == 0; });
  }

  ThreadId id;

private:
  enum State { Beginning, Awake, Asleep, Ended };

  void tell(State next) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      state = next;
    }
    changed.notify_all();
  }
  /// How the system's answer begins: with `running`, or the number of the call that the thread sleeps in; 0 without
  /// one.
  char shown() const {
    std::string path = "/proc/self/task/" + std::to_string(id.number) + "/syscall";
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char answer = 0;
    if (file < 0 || read(file, &answer, 1) != 1)
      answer = 0;
    if (file >= 0)
      close(file);
    return answer;
  }
  void run() {
    id = ThreadId::own();
    tell(Awake);
    for (State now; (now = state) != Ended;)
      if (now == Asleep) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return state != Asleep; });
      }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<State> state{Beginning};
  std::thread thread{&Worker::run, this};
};

void whoSleepsIsNotReady() {
  Team team;
  CHECK(team.isReady()); // Nobody has been met.
  Worker worker;
  team.meet(worker.id, {});
  CHECK(team.isReady());
  worker.sleep();
  CHECK(team.isReady()); // What has just been asked is believed.
  for (int i = 0; i < 5; ++i) {
    TestClock::pass(milliseconds(1));
    CHECK(!team.isReady());
  }
  TestClock::pass(milliseconds(10)); // A thread's clock says it, too.
  CHECK(!team.isReady());
  worker.wake();
  CHECK(!team.isReady());
  TestClock::pass(milliseconds(10));
  CHECK(team.isReady());
}

/// How often this process has read something, but for that; -1 where the system does not say.
long readsSoFar() {
  long reads = -1;
  if (FILE *file = std::fopen("/proc/self/io", "r")) {
    if (std::fscanf(file, "rchar: %*d wchar: %*d syscr: %ld", &reads) != 1)
      reads = -1;
    std::fclose(file);
  }
  return reads;
}

void whoIsKnownToSleepIsNotReadAbout() {
  Team team;
  Worker worker;
  team.meet(worker.id, {});
  worker.sleep();
  TestClock::pass(milliseconds(1));
  CHECK(!team.isReady());
  long before = readsSoFar(), own = readsSoFar() - before;
  for (int i = 0; i < 5; ++i) {
    TestClock::pass(milliseconds(1));
    CHECK(!team.isReady());
  }
  CHECK(!clocksAreFine() || readsSoFar() - before == 2 * own);
}

void whoSpunForSoLongIsNotAskedBefore() {
  Team team;
  Worker worker;
  auto isReadyIn = [&](microseconds time) {
    TestClock::pass(time);
    return team.isReady();
  };
  team.meet(worker.id, {});
  CHECK(isReadyIn(milliseconds(1))); // Asked: they spin for a millisecond at least.
  team.meet(worker.id, {});
  worker.sleep();
  CHECK(team.isKnownToSpin());
  CHECK(isReadyIn(microseconds(900)));
  CHECK(isReadyIn(microseconds(100)));
  CHECK(team.isKnownToSpin());
  TestClock::pass(microseconds(1));
  CHECK(!team.isKnownToSpin());
  CHECK(!team.isReady());
  team.meet(worker.id, {});
  CHECK(!isReadyIn(microseconds(600))); // They were asleep, so nothing is known any more.
  worker.wake();
  CHECK(isReadyIn(milliseconds(1)));
  team.meet(worker.id, milliseconds(1)); // Nor when they come late.
  worker.sleep();
  CHECK(!isReadyIn(microseconds(600)));
}

void nobodyIsBelievedToSpinForLong() {
  Team team;
  Worker worker;
  team.meet(worker.id, {});
  TestClock::pass(milliseconds(30));
  CHECK(team.isReady()); // Because of a launch by somebody else, perhaps.
  team.meet(worker.id, {});
  worker.sleep();
  TestClock::pass(milliseconds(6));
  CHECK(!team.isKnownToSpin());
  CHECK(!team.isReady());
}

void whoIsNoMoreIsMetAgain() {
  Team team;
  Worker worker, next;
  next.sleep();
  team.meet(worker.id, {});
  worker.end();
  TestClock::pass(milliseconds(1));
  CHECK(team.isReady());
  team.meet(next.id, {});
  TestClock::pass(milliseconds(1));
  CHECK(!team.isReady());
}

void whoWasHeldUpDoesWithoutForAWhile() {
  Team team;
  Worker worker;
  auto isReadyIn = [&](milliseconds time) {
    TestClock::pass(time);
    return team.isReady();
  };
  team.meet(worker.id, milliseconds(40)); // Our own workers' doing, perhaps.
  CHECK(team.isReady());
  team.meet(worker.id, microseconds(5));
  CHECK(team.isReady());
  team.meet(worker.id, milliseconds(40)); // Chance.
  CHECK(team.isReady());
  team.meet(worker.id, microseconds(5));
  team.meet(worker.id, milliseconds(40));
  team.meet(worker.id, milliseconds(40)); // For 160 ms.
  CHECK(!team.isReady());
  CHECK(!isReadyIn(milliseconds(159)));
  CHECK(isReadyIn(milliseconds(1)));
  team.meet(worker.id, milliseconds(40)); // After a launch that was none, neither.
  CHECK(team.isReady());
  team.meet(worker.id, milliseconds(40)); // For 320 ms.
  team.meet(worker.id, milliseconds(40)); // For 640 ms.
  CHECK(!isReadyIn(milliseconds(639)));
  CHECK(isReadyIn(milliseconds(1)));
  for (int i = 0; i < 5; ++i)
    team.meet(worker.id, {});
  team.meet(worker.id, milliseconds(40));
  team.meet(worker.id, milliseconds(40)); // For 160 ms.
  CHECK(!isReadyIn(milliseconds(159)));
  CHECK(isReadyIn(milliseconds(1)));
}

} // namespace

int main() {
  return runTests({
      {"who sleeps is not ready", whoSleepsIsNotReady},
      {"who is known to sleep is not read about", whoIsKnownToSleepIsNotReadAbout},
      {"who spun for so long is not asked before", whoSpunForSoLongIsNotAskedBefore},
      {"nobody is believed to spin for long", nobodyIsBelievedToSpinForLong},
      {"who is no more is met again", whoIsNoMoreIsMetAgain},
      {"who was held up does without for a while", whoWasHeldUpDoesWithoutForAWhile},
  });
}
