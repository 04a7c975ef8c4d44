//===- TeamTest.cpp - Whether a thread's OpenMP workers are taken for ready, without any
//------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"

#include "Team.h"

#include <atomic>
#include <thread>

using namespace blockdsl::runtime;

namespace {

using std::chrono::milliseconds;

void pauseFor(milliseconds time) { std::this_thread::sleep_for(time); }

/// A worker that spins, or sleeps, as it is told.
class Worker {
public:
  Worker() {
    while (!begun)
      std::this_thread::yield();
  }
  ~Worker() { end(); }

  void sleep() {
    isAwake = false;
    pauseFor(milliseconds(20));
  }
  void wake() {
    isAwake = true;
    pauseFor(milliseconds(20));
  }
  void end() {
    ends = true;
    if (thread.joinable())
      thread.join();
  }

  ThreadId id;

private:
  void run() {
    id = ThreadId::own();
    for (begun = true; !ends;)
      if (!isAwake)
        pauseFor(milliseconds(1));
  }

  std::atomic<bool> begun{false}, isAwake{true}, ends{false};
  std::thread thread{&Worker::run, this};
};

void whoSleepsIsNotReady() {
  Team team;
  CHECK(team.isReady()); // Nobody has been met.
  Worker worker;
  team.meet(worker.id, {});
  CHECK(team.isReady());
  worker.sleep();
  // It wakes for a moment now and then.
  int ready = 0;
  for (int i = 0; i < 20; ++i, pauseFor(milliseconds(1)))
    ready += team.isReady();
  CHECK(ready < 10);
  worker.wake();
  CHECK(team.isReady());
}

void whoIsNoMoreIsMetAgain() {
  Team team;
  Worker worker, next;
  next.sleep();
  team.meet(worker.id, {});
  worker.end();
  CHECK(team.isReady());
  team.meet(next.id, {});
  int ready = 0;
  for (int i = 0; i < 20; ++i, pauseFor(milliseconds(1)))
    ready += team.isReady();
  CHECK(ready < 10);
}

void whoWasHeldUpDoesWithoutForAWhile() {
  Team team;
  Worker worker;
  auto isReadyIn = [&](milliseconds time) {
    pauseFor(time);
    return team.isReady();
  };
  team.meet(worker.id, milliseconds(40)); // The first one does not count.
  CHECK(team.isReady());
  team.meet(worker.id, std::chrono::microseconds(5));
  CHECK(team.isReady());
  team.meet(worker.id, milliseconds(40)); // For 160 ms.
  CHECK(!team.isReady());
  CHECK(isReadyIn(milliseconds(170)));
  team.meet(worker.id, milliseconds(40)); // After a launch that was none, neither.
  CHECK(team.isReady());
  team.meet(worker.id, milliseconds(40)); // For 320 ms.
  team.meet(worker.id, milliseconds(40)); // For 640 ms.
  CHECK(!isReadyIn(milliseconds(330)));
  CHECK(isReadyIn(milliseconds(320)));
  for (int i = 0; i < 5; ++i)
    team.meet(worker.id, {});
  team.meet(worker.id, milliseconds(40)); // For 160 ms.
  CHECK(!team.isReady());
  CHECK(isReadyIn(milliseconds(170)));
}

} // namespace

int main() {
  return runTests({
      {"who sleeps is not ready", whoSleepsIsNotReady},
      {"who is no more is met again", whoIsNoMoreIsMetAgain},
      {"who was held up does without for a while", whoWasHeldUpDoesWithoutForAWhile},
  });
}
