//===- ExecutorTest.cpp - Choice of threads for a launch ----------------------------------------------------------===//
//
// The program defines its own OpenMP runtime with one worker. The worker always spins, and joins regions in time, late,
// or not at all. The runtime counts its queries.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "Checks.h"
#include "Launch.h"

#include "Executor.h"

#include <thread>
#include <utility>
#include <vector>

using namespace blockdsl::runtime;

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Region {
  void (*function)(void *);
  void *data;
};

std::atomic<Region *> region{nullptr};
std::atomic<bool> isOver{false};
int questions = 0;
/// The number of threads in a region (1 or 2), and the delay of the second one.
std::atomic<int> present{2};
std::atomic<int> lateUs{0};
thread_local int threadNumber = 0;

void spinForRegions() {
  threadNumber = 1;
  while (!isOver) {
    Region *next = region;
    if (!next)
      continue;
    std::this_thread::sleep_for(microseconds(lateUs));
    next->function(next->data);
    region = nullptr;
  }
}

} // namespace

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN void GOMP_parallel(void (*function)(void *), void *data, unsigned, unsigned) {
  Region next{function, data};
  if (present > 1)
    region = &next;
  function(data);
  while (region) {
  }
}
SHOWN int omp_get_thread_num() { return threadNumber; }
SHOWN int omp_get_num_threads() { return present; }
SHOWN int omp_get_max_threads() {
  ++questions;
  return 2;
}
SHOWN int omp_get_level() {
  ++questions;
  return 0;
}

namespace {

void launchOnBoth() {
  chooseWorkers(Workers::OpenMP);
  Launch launch([](int64_t, void *) { spinFor(microseconds(20)); });
  launch.threads = 2;
  launch.cost.record(100000, 1);
  CHECK(launch.run(2) == Outcome::Finished);
  chooseWorkers(Workers::Auto);
}

/// The caller's program ends when the worker starts its own, longer program.
void launchMoreOnTheOther() {
  chooseWorkers(Workers::OpenMP);
  std::atomic<bool> hasBegun{false};
  Launch launch([&](int64_t, void *) {
    if (threadNumber == 1)
      hasBegun = true;
    while (!hasBegun) {
    }
    spinFor(microseconds(500) * threadNumber);
  });
  launch.threads = 2;
  launch.cost.record(100000, 1);
  CHECK(launch.run(2) == Outcome::Finished);
  chooseWorkers(Workers::Auto);
}

/// Launches programs with the expected time `each`. Returns the number of programs per thread, the caller's first, and
/// checks that every program runs once.
std::pair<int, int> rangesOf(int programs, std::chrono::nanoseconds each) {
  chooseWorkers(Workers::OpenMP);
  std::vector<std::atomic<int>> runs(programs);
  std::atomic<int> ran[2] = {0, 0};
  Launch launch([&](int64_t id, void *) {
    ++runs[id];
    ++ran[threadNumber];
  });
  launch.threads = 2;
  launch.cost.record(each.count(), 1);
  CHECK(launch.run(programs) == Outcome::Finished);
  for (auto &times : runs)
    CHECK(times == 1);
  chooseWorkers(Workers::Auto);
  return {ran[0], ran[1]};
}

void shortProgramsAreDividedEqually() {
  CHECK(findOpenMP("libc.so.6"));
  // Programs of five microseconds in total: the caller runs its half and leaves the other half to the worker.
  lateUs = 2000;
  CHECK(rangesOf(10, std::chrono::nanoseconds(500)) == std::make_pair(5, 5));
  // With long programs the caller runs the worker's half too, before the worker joins.
  CHECK(rangesOf(10, milliseconds(1)) == std::make_pair(10, 0));
  lateUs = 0;
}

void callerTakesUnclaimedRanges() {
  present = 1;
  CHECK(rangesOf(10, std::chrono::nanoseconds(500)) == std::make_pair(10, 0));
  CHECK(rangesOf(10, milliseconds(1)) == std::make_pair(10, 0));
  present = 2;
}

void failureKeepsTheOtherRanges() {
  chooseWorkers(Workers::OpenMP);
  std::atomic<int> runs{0};
  Launch launch([&](int64_t, void *) {
    ++runs;
    blockdsl_assert_failed(&launch.context, "no", 0, 0, 0);
  });
  launch.threads = 2;
  launch.cost.record(500, 1);
  lateUs = 2000;
  CHECK(launch.run(10) == Outcome::Failed);
  CHECK(runs == 5);
  lateUs = 0;
  chooseWorkers(Workers::Auto);
}

/// The delay exceeds by far the delays on a busy machine.
void workerThatIsLateTwiceIsExcluded() {
  lateUs = 50000;
  launchOnBoth();
  launchOnBoth();
  CHECK(workersOf(2) == Workers::Own);
  lateUs = 0;
}

/// A busy machine may delay a region as well, hence several tries.
void busyWorkerIsNotLate() {
  auto isReadyAfterTwo = [] {
    while (workersOf(2) != Workers::OpenMP)
      spinFor(milliseconds(1));
    for (int i = 0; i < 2; ++i)
      launchMoreOnTheOther();
    return workersOf(2) == Workers::OpenMP;
  };
  int tries = availableCPUs() < 2 ? 0 : 100;
  while (tries > 0 && !isReadyAfterTwo())
    --tries;
  CHECK(tries > 0 || availableCPUs() < 2);
}

/// Polls a millisecond after a region; after the next region the worker counts as spinning for at least that long. A
/// busy machine may delay a region, which resets this time.
bool isKnownAtLast() {
  for (int i = 0; i < 1000; ++i) {
    launchOnBoth();
    spinFor(milliseconds(1));
    bool isAwake = wouldBeAwake(milliseconds(1));
    launchOnBoth();
    if (isAwake && wouldBeAwake(milliseconds(4)))
      return true;
  }
  return false;
}

void ownWorkersSpinForAWhile() {
  CHECK(wouldBeAwake(microseconds(30)));
  CHECK(!wouldBeAwake(microseconds(50)));
}

void spinningWorkerIsAwakeAfterAPause() {
  launchOnBoth();
  CHECK(!wouldBeAwake(milliseconds(4))); // There has been no poll.
  CHECK(isKnownAtLast() == (availableCPUs() >= 2));
}

void workersAreNotPolledUnnecessarily() {
  isKnownAtLast();
  int before = questions;
  CHECK(wouldBeAwake(microseconds(30)));
  CHECK(!wouldBeAwake(milliseconds(6)));
  chooseWorkers(Workers::Own);
  CHECK(!wouldBeAwake(milliseconds(1)));
  chooseWorkers(Workers::Auto);
  CHECK(questions == before);
  wouldBeAwake(milliseconds(1));
  CHECK(questions > before);
}

} // namespace

int main() {
  std::thread worker(spinForRegions);
  int result = runTests({
      {"own workers spin for a while", ownWorkersSpinForAWhile},
      {"short programs are divided equally", shortProgramsAreDividedEqually},
      {"caller takes unclaimed ranges", callerTakesUnclaimedRanges},
      {"failure keeps the other ranges", failureKeepsTheOtherRanges},
      {"spinning worker is awake after a pause", spinningWorkerIsAwakeAfterAPause},
      {"workers are not polled unnecessarily", workersAreNotPolledUnnecessarily},
      {"worker that is late twice is excluded", workerThatIsLateTwiceIsExcluded},
      {"busy worker is not late", busyWorkerIsNotLate},
  });
  isOver = true;
  worker.join();
  return result;
}
