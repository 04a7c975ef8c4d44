//===- CrewTest.cpp - Who is taken for awake by a small launch, and who is asked ----------------------------------===//
//
// The OpenMP runtime is one of this program's, with a worker who spins all the time, so that it is known when it is
// asked.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "Checks.h"
#include "Launch.h"

#include "Crew.h"

#include <thread>

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
thread_local int threadNumber = 0;

void spinForRegions() {
  threadNumber = 1;
  while (!isOver) {
    Region *next = region;
    if (!next)
      continue;
    next->function(next->data);
    region = nullptr;
  }
}

} // namespace

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN void GOMP_parallel(void (*function)(void *), void *data, unsigned, unsigned) {
  Region next{function, data};
  region = &next;
  function(data);
  while (region) {
  }
}
SHOWN int omp_get_thread_num() { return threadNumber; }
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

/// Asks a millisecond after a region, so that the worker is known to spin for so long after the next one. A busy
/// machine may hold a region up, after which nothing is known.
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

void ourOwnSpinForAWhile() {
  CHECK(wouldBeAwake(microseconds(30)));
  CHECK(!wouldBeAwake(microseconds(50)));
}

void whoIsKnownToSpinIsAwakeAfterAPause() {
  CHECK(findOpenMP("libc.so.6"));
  launchOnBoth();
  CHECK(!wouldBeAwake(milliseconds(4))); // Nobody has asked before.
  CHECK(isKnownAtLast() == (availableCPUs() >= 2));
}

void nobodyIsAskedWithoutNeed() {
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
      {"our own spin for a while", ourOwnSpinForAWhile},
      {"who is known to spin is awake after a pause", whoIsKnownToSpinIsAwakeAfterAPause},
      {"nobody is asked without need", nobodyIsAskedWithoutNeed},
  });
  isOver = true;
  worker.join();
  return result;
}
