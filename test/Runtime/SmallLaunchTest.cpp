//===- SmallLaunchTest.cpp - Launches on the caller's thread and the waking of workers ----------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Launch.h"

#include <thread>

using namespace blockdsl::runtime;

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void smallLaunchesStayOnTheCaller() {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> runs{0}, elsewhere{0};
  Launch launch([&](int64_t, void *) {
    ++runs;
    elsewhere += std::this_thread::get_id() != caller;
  });
  CHECK(runSmall(launch.work(16)) == 0); // The cost is still unknown.
  CHECK(launch.run(16) == Outcome::Finished);
  elsewhere = 0; // A preempted first program may have looked expensive.
  // Preemption of the thread makes a kernel look expensive; hence the repeats.
  int64_t done = 0;
  for (int i = 0; i < 40 && done != 16; ++i) {
    launch.cost.record(50, 1);
    runs = 0;
    done = runSmall(launch.work(16));
  }
  CHECK(done == 16);
  CHECK(runs == 16 && elsewhere == 0);
}

/// A launch of eight microseconds runs on a worker that still spins, but does not wake a sleeping one.
void consecutiveLaunchesAreShared() {
  Launch launch([](int64_t, void *) {});
  auto stays = [&](double ns) {
    launch.cost.assign(ns / 16);
    return runSmall(launch.work(16)) != 0;
  };
  int alone = 0, shared = 0, least = 0, most = 0;
  launch.run(16); // On several threads.
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(4));
    alone += stays(8e3);
    // The system may preempt this thread.
    for (int repeat = 0; repeat < 20; ++repeat) {
      shared += !stays(8e3);
      least += stays(3e3);
      most += stays(30e3);
    }
  }
  CHECK(alone == 20);
  CHECK(shared > 200);
  CHECK(least == 400);
  CHECK(most == 0);
  // After a launch limited to one thread, `runSmall` also runs launches of this size.
  launch.threads = 1;
  launch.run(16);
  for (int i = 0; i < 10; ++i)
    CHECK(stays(8e3));
}

void growingKernelIsShared() {
  Launch launch([&](int64_t, void *) { spinFor(microseconds(200)); });
  launch.cost.record(10, 1);
  int64_t done = runSmall(launch.work(64));
  CHECK(done == 8);
  CHECK(runSmall(launch.work(64)) == 0);
}

/// A sleeping worker needs time to wake, and more if its CPU sleeps too.
void wakingCostsMoreAfterLongerPauses() {
  chooseWorkers(Workers::Own); // OpenMP workers may spin for longer.
  Launch launch([](int64_t, void *) {});
  auto stays = [&](milliseconds pause, double ns) {
    launch.run(16);
    std::this_thread::sleep_for(pause);
    launch.cost.assign(ns / 16);
    return runSmall(launch.work(16)) == 16;
  };
  // On a busy machine, this thread sleeps for longer, and its delays look like a larger kernel.
  int shortAlone = 0, shortShared = 0, longAlone = 0;
  for (int i = 0; i < 10; ++i) {
    shortAlone += stays(milliseconds(1), 40e3);
    shortShared += !stays(milliseconds(1), 80e3);
    longAlone += stays(milliseconds(6), 120e3);
    CHECK(!stays(milliseconds(6), 200e3));
  }
  CHECK(shortAlone > 2);
  CHECK(shortShared > 0);
  CHECK(longAlone > 2);
}

/// After a pause, the data of a kernel may have left the caches, so a longer time does not mean a larger kernel. A
/// kernel with an expected time of one microsecond takes 100 here: after a pause the caller runs all of it, but right
/// after another launch it hands over the rest.
void launchesCostMoreAfterAPause() {
  Launch launch([](int64_t, void *) { spinFor(microseconds(6)); });
  auto done = [&] {
    launch.cost.assign(60);
    return runSmall(launch.work(16));
  };
  int stayed = 0, handedOver = 0;
  for (int i = 0; i < 100 && (stayed <= 2 || handedOver <= 2); ++i) {
    std::this_thread::sleep_for(milliseconds(6));
    stayed += done() == 16; // A busy machine may delay it.
    launch.cost.assign(5e3);
    launch.run(16);
    handedOver += done() == 2;
  }
  CHECK(stayed > 2);
  CHECK(handedOver > 2);
}

/// After a pause, a small launch records the average time of all its programs, because the first ones take longest.
void firstProgramsDoNotPredictTheRest() {
  int least = 0;
  for (int i = 0; i < 100 && least <= 2; ++i) { // A busy machine may delay the launch.
    Launch launch([](int64_t id, void *) { spinFor(microseconds(id < 2 ? 14 : 2)); });
    launch.cost.assign(3e3);
    std::this_thread::sleep_for(milliseconds(6));
    // The new cost is 3.25 us; the first programs alone would make it 8.5 us.
    least += runSmall(launch.work(16)) == 16 && launch.cost.get() < 5e3;
  }
  CHECK(least > 2);
}

} // namespace

int main(int count, char **arguments) {
  if (!takeWorkers(count, arguments))
    return 1;
  return runTests({
      {"small launches stay on the caller", smallLaunchesStayOnTheCaller},
      {"consecutive launches are shared", consecutiveLaunchesAreShared},
      {"growing kernel is shared", growingKernelIsShared},
      {"launches cost more after a pause", launchesCostMoreAfterAPause},
      {"first programs do not predict the rest", firstProgramsDoNotPredictTheRest},
      {"waking costs more after longer pauses", wakingCostsMoreAfterLongerPauses},
  });
}
