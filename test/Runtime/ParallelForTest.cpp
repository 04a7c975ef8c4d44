//===- ParallelForTest.cpp - Launches on the thread pool and their interruption -----------------------------------===//
//
// test/python/runtime/test_object_code.py tests the loading of objects, because it needs a compiler.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Launch.h"

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/Interruption.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace blockdsl::runtime;

namespace {

using Clock = std::chrono::steady_clock;

void everyProgramRunsOnce() {
  for (int64_t programs : {0, 1, 2, 3, 7, 64, 1000, 100000}) {
    std::vector<std::atomic<int>> runs(programs);
    Launch launch([&](int64_t id, void *) { ++runs[id]; });
    for (int repeat = 1; repeat <= 20; ++repeat) {
      CHECK(launch.run(programs) == Outcome::Finished);
      bool all = true;
      for (auto &count : runs)
        all &= count == repeat;
      CHECK(all);
    }
  }
}

void severalThreadsTakePart() {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  Launch launch([&](int64_t, void *) {
    spinFor(std::chrono::microseconds(300));
    std::lock_guard<std::mutex> lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  CHECK(launch.run(400) == Outcome::Finished);
  CHECK(seen.size() > 1 && seen.size() <= 4);
  CHECK(seen.count(std::this_thread::get_id()));
}

void oneThreadMeansTheCaller() {
  bool elsewhere = false;
  auto caller = std::this_thread::get_id();
  Launch launch([&](int64_t, void *) {
    spinFor(std::chrono::microseconds(20));
    elsewhere |= std::this_thread::get_id() != caller;
  });
  launch.threads = 1;
  CHECK(launch.run(1000) == Outcome::Finished);
  CHECK(!elsewhere);
}

void callersOfSeveralThreads() {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::atomic<int64_t> sum{0};
        Launch launch([&](int64_t id, void *) {
          spinFor(std::chrono::microseconds(3));
          sum += id;
        });
        if (launch.run(50) != Outcome::Finished || sum != 50 * 49 / 2)
          ++wrong;
      }
    });
  for (auto &caller : callers)
    caller.join();
  CHECK(wrong == 0);
}

/// More concurrent launches than places for workers to join. No launch ends before all have started.
void manyLaunchesAtOnce() {
  constexpr int kCallers = 24;
  std::atomic<int> begun{0}, wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&] {
      std::atomic<int> runs{0};
      Launch launch([&](int64_t id, void *) {
        if (id == 0)
          ++begun;
        while (begun < kCallers)
          std::this_thread::yield();
        ++runs;
      });
      launch.cost.record(20000, 1);
      if (launch.run(30) != Outcome::Finished || runs != 30)
        ++wrong;
    });
  for (auto &caller : callers)
    caller.join();
  CHECK(wrong == 0);
}

/// The pauses before launches, and in a worker's program, exceed the spinning time of workers and caller.
void launchesWakeSleepingThreads() {
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<int> runs{0};
    std::atomic<bool> helped{false};
    auto caller = std::this_thread::get_id();
    Launch launch([&](int64_t, void *) {
      auto end = Clock::now() + std::chrono::seconds(10);
      if (std::this_thread::get_id() != caller)
        helped = true;
      while (!helped && Clock::now() < end)
        std::this_thread::yield();
      if (std::this_thread::get_id() != caller)
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      ++runs;
    });
    launch.cost.record(20000, 1);
    CHECK(launch.run(8) == Outcome::Finished);
    CHECK(runs == 8);
    CHECK(helped);
    std::this_thread::sleep_for(std::chrono::microseconds(repeat % 3 * 150));
  }
}

void interruptionDropsProgramsNotStarted() {
  std::atomic<int64_t> runs{0};
  Launch launch([&](int64_t, void *) {
    spinFor(std::chrono::milliseconds(1));
    ++runs;
  });
  launch.interruptAfter = 2;
  auto start = Clock::now();
  CHECK(launch.run(60000) == Outcome::Interrupted);
  // All programs would take at least 15 s. The promised limit is 100 ms, but a busy machine takes longer.
  CHECK(Clock::now() - start < std::chrono::seconds(5));
  int64_t after = runs;
  spinFor(std::chrono::milliseconds(5));
  CHECK(runs == after); // No program runs anymore.
  launch.interruptAfter = -1;
  CHECK(launch.run(10) == Outcome::Finished);
}

void failureStopsTheLaunch() {
  std::atomic<int64_t> runs{0};
  Launch launch(nullptr);
  launch.kernel.program = [&](int64_t id, void *) {
    ++runs;
    spinFor(std::chrono::microseconds(50));
    if (id >= 100)
      blockdsl_assert_failed(&launch.context, "id < 100", static_cast<int32_t>(id), 0, 0);
  };
  CHECK(launch.run(100000) == Outcome::Failed);
  CHECK(runs < 2000);
  CHECK(std::strcmp(launch.context.message, "id < 100") == 0);
  CHECK(launch.context.program[0] >= 100);
}

void forkedChildHasItsOwnPool() {
  Launch before([&](int64_t, void *) { spinFor(std::chrono::microseconds(100)); });
  CHECK(before.run(200) == Outcome::Finished);
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::atomic<int64_t> runs{0};
    Launch launch([&](int64_t, void *) {
      spinFor(std::chrono::microseconds(100));
      ++runs;
    });
    bool good = launch.run(200) == Outcome::Finished && runs == 200;
    _exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

void scratchIsAlignedAndPrivate() {
  std::atomic<int> wrong{0};
  Launch launch([&](int64_t id, void *scratch) {
    auto *mine = static_cast<volatile int64_t *>(scratch);
    if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0)
      ++wrong;
    mine[0] = id;
    mine[1023] = id;
    spinFor(std::chrono::microseconds(50));
    if (mine[0] != id || mine[1023] != id)
      ++wrong;
  });
  launch.scratchBytes = 8192;
  CHECK(launch.run(500) == Outcome::Finished);
  CHECK(wrong == 0);
  launch.scratchBytes = size_t(1) << 60;
  CHECK(launch.run(10) == Outcome::OutOfMemory);
}

/// Polls in an infinite loop like a compiled kernel.
void loopUntilStopped(LaunchContext &context) {
  while (context.poll->load() == 0 || !blockdsl_should_stop(&context))
    std::this_thread::yield();
}

void endlessProgramsAreStopped() {
  LaunchContext *context = nullptr;
  std::atomic<int> ended{0};
  Launch launch([&](int64_t, void *) {
    loopUntilStopped(*context);
    ++ended;
  });
  for (int threads : {1, 4}) {
    context = &launch.context;
    launch.threads = threads;
    launch.interruptAfter = 2;
    launch.cost.record(1000000, 1);
    Interruptible interruptible(launch.context, Launch::interrupted, &launch);
    CHECK(launch.run(100) == Outcome::Interrupted);
    CHECK(launch.interruptAfter == -1);
    CHECK(launch.cost.get() > 1);
  }
  CHECK(ended >= 2 && ended <= 5);
}

/// A launch on another thread than the first calls its function once, which then lets other threads run.
void otherThreadsYieldToWaitingOnes() {
  std::thread([] {
    int asked = 0;
    LaunchContext *context = nullptr;
    Launch launch([&](int64_t, void *) {
      // On a busy machine the watcher may be late. The program waits long enough for a second query.
      auto limit = Clock::now() + std::chrono::seconds(20);
      while (Clock::now() < limit)
        if (context->poll->load() != 0) {
          CHECK(blockdsl_should_stop(context) == 0);
          limit = Clock::now() + std::chrono::milliseconds(100);
        }
    });
    struct Asked {
      int &times;
      Interruptible *interruptible = nullptr;
    } argument{asked};
    auto ask = [](void *self) {
      auto &asked = *static_cast<Asked *>(self);
      ++asked.times;
      asked.interruptible->letOthersRun();
      return false;
    };
    context = &launch.context;
    Interruptible interruptible(launch.context, ask, &argument);
    argument.interruptible = &interruptible;
    CHECK(launch.run(1) == Outcome::Finished);
    CHECK(asked == 1);
  }).join();
}

/// In a child process, because `stopLaunches` is permanent.
void allLaunchesAreStopped() {
  std::fflush(nullptr); // Otherwise the child prints the buffer again.
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    int failedBefore = failures;
    std::atomic<int> running{0};
    static std::atomic<bool> isAsked{false};
    auto ask = [](void *) { return isAsked.load(); };
    auto launchForEver = [&] {
      LaunchContext *context = nullptr;
      Launch launch([&](int64_t, void *) {
        ++running;
        loopUntilStopped(*context);
      });
      context = &launch.context;
      Interruptible interruptible(launch.context, ask, nullptr);
      CHECK(launch.run(1) == Outcome::Interrupted);
    };
    std::thread one(launchForEver), another(launchForEver);
    while (running != 2)
      std::this_thread::yield();
    isAsked = true;
    stopLaunches();
    one.join();
    another.join();
    // Later launches do not poll.
    std::thread([] {
      Launch launch([](int64_t, void *) {});
      Interruptible interruptible(launch.context, Launch::interrupted, &launch);
      CHECK(launch.context.poll == &kNeverPolled);
    }).join();
    _exit(failures != failedBefore);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Only prints the time, because the machine may be busy.
void measureForkAndJoin() {
  Launch launch([](int64_t, void *) {});
  launch.threads = std::min(availableCPUs(), 2);
  launch.cost.record(20000, 1); // Enough for two threads.
  double best = 1e9;
  for (int sample = 0; sample < 200; ++sample) {
    auto start = Clock::now();
    for (int repeat = 0; repeat < 100; ++repeat) {
      launch.cost.record(40000, 1);
      launch.run(2);
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 100);
  }
  std::printf("fork and join of two empty programs: %.0f ns\n", best);
}

} // namespace

int main(int count, char **arguments) {
  if (!takeWorkers(count, arguments))
    return 1;
  return runTests({
      {"every program runs once", everyProgramRunsOnce},
      {"several threads take part", severalThreadsTakePart},
      {"one thread means the caller", oneThreadMeansTheCaller},
      {"callers of several threads", callersOfSeveralThreads},
      {"many launches at once", manyLaunchesAtOnce},
      {"launches wake sleeping threads", launchesWakeSleepingThreads},
      {"interruption drops programs not started", interruptionDropsProgramsNotStarted},
      {"endless programs are stopped", endlessProgramsAreStopped},
      {"other threads yield to waiting ones", otherThreadsYieldToWaitingOnes},
      {"all launches are stopped", allLaunchesAreStopped},
      {"failure stops the launch", failureStopsTheLaunch},
      {"forked child has its own pool", forkedChildHasItsOwnPool},
      {"scratch is aligned and private", scratchIsAlignedAndPrivate},
      {"measure fork and join", measureForkAndJoin},
  });
}
