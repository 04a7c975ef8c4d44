//===- ProgramDependenciesTest.cpp - Programs that wait for each other --------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Launch.h"

#include "blockdsl/Runtime/Interruption.h"

#include <thread>

using namespace blockdsl::runtime;

namespace {

void programMayWaitForThePreviousOne() {
  std::atomic<int64_t> turn{0};
  Launch launch([&](int64_t id, void *) {
    while (turn.load() != id)
      std::this_thread::yield();
    spinFor(std::chrono::microseconds(5));
    turn.store(id + 1);
  });
  CHECK(launch.run(3000) == Outcome::Finished);
  CHECK(turn == 3000);
}

/// Waits for a condition like a compiled kernel. False if the launch stops.
template <typename Condition> bool waitUntil(LaunchContext &context, Condition holds) {
  while (!holds())
    if (blockdsl_wait(&context) != 0)
      return false;
  return true;
}

void allProgramsMayWaitForAll() {
  for (int threads : {1, 2, 4})
    for (int64_t programs : {1, 2, 3, 100}) {
      std::atomic<int64_t> first{0}, second{0}, through{0};
      LaunchContext *context = nullptr;
      Launch launch([&](int64_t, void *) {
        ++first;
        waitUntil(*context, [&] { return first == programs; });
        ++second;
        waitUntil(*context, [&] { return second == programs; });
        ++through;
      });
      context = &launch.context;
      launch.threads = threads;
      launch.waits = true;
      launch.cost.record(1, 1);
      CHECK(runSmall(launch.work(programs)) == (programs == 1 ? 1 : 0));
      if (programs != 1)
        CHECK(launch.run(programs) == Outcome::Finished);
      CHECK(through == programs);
      CHECK(!launch.context.dependencies);
    }
}

void programsThatWaitStartInOrder() {
  std::atomic<int64_t> started{0};
  std::atomic<int> outOfOrder{0};
  Launch launch([&](int64_t id, void *) {
    int64_t seen = started++;
    outOfOrder += seen < id - 4 || seen > id + 4;
    spinFor(std::chrono::microseconds(20));
  });
  launch.waits = true;
  CHECK(launch.run(1000) == Outcome::Finished);
  CHECK(started == 1000);
  // The system may preempt a thread between claim and count. With one range per thread, half of all programs would
  // start out of order.
  CHECK(outOfOrder < 100);
}

void waitingProgramsAreStopped() {
  std::atomic<int> ended{0};
  LaunchContext *context = nullptr;
  Launch launch([&](int64_t, void *) {
    waitUntil(*context, [] { return false; });
    ++ended;
  });
  for (int threads : {1, 4}) {
    context = &launch.context;
    launch.threads = threads;
    launch.waits = true;
    launch.interruptAfter = 2;
    Interruptible interruptible(launch.context, Launch::interrupted, &launch);
    CHECK(launch.run(30) == Outcome::Interrupted);
    CHECK(!launch.context.dependencies);
  }
  CHECK(ended >= 2 && ended <= 60);
}

} // namespace

int main(int count, char **arguments) {
  if (!takeWorkers(count, arguments))
    return 1;
  return runTests({
      {"program may wait for the previous one", programMayWaitForThePreviousOne},
      {"all programs may wait for all", allProgramsMayWaitForAll},
      {"programs that wait start in order", programsThatWaitStartInOrder},
      {"waiting programs are stopped", waitingProgramsAreStopped},
  });
}
