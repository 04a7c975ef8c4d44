//===- CPUsTest.cpp - Moving threads off a CPU --------------------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/LaunchContext.h"

#include "Checks.h"
#include "Launch.h"

#include <sched.h>
#include <set>
#include <thread>

using namespace blockdsl::runtime;

namespace {

using Set = std::set<int>;

Set allowed() {
  std::vector<int> cpus = cpusInAffinityMask();
  return {cpus.begin(), cpus.end()};
}

void allow(const Set &cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu : cpus)
    CPU_SET(cpu, &mask);
  CHECK(sched_setaffinity(0, sizeof(mask), &mask) == 0);
}

Set without(Set cpus, int cpu) {
  cpus.erase(cpu);
  return cpus;
}

/// Runs a test in a new thread, with the CPUs of its affinity mask.
template <typename Test> void apart(Test test) {
  std::thread([&] { test(allowed()); }).join();
}

void threadAvoidsOneCPUAtATime() {
  apart([](const Set &cpus) {
    if (cpus.size() < 2)
      return;
    for (int cpu : cpus) {
      stayOff(cpu);
      CHECK(allowed() == without(cpus, cpu));
      CHECK(currentCPU() != cpu);
    }
  });
}

/// `stayOff` keeps an affinity mask that the user set later.
void affinityChangesOfOthersAreKept() {
  apart([](const Set &cpus) {
    int first = *cpus.begin(), last = *cpus.rbegin();
    if (first == last)
      return;
    stayOff(last);
    allow({first, last});
    stayOff(first);
    CHECK(allowed() == Set{last});
    stayOff(last);
    CHECK(allowed() == Set{first});
  });
}

void onlyCPUIsNotAvoided() {
  apart([](const Set &cpus) {
    allow({*cpus.begin()});
    stayOff(*cpus.begin());
    CHECK(allowed() == Set{*cpus.begin()});
    stayOff(-1);
    stayOff(1 << 20);
    CHECK(allowed() == Set{*cpus.begin()});
  });
}

void moveOff(const std::vector<int> &cpus) { blockdsl::runtime::moveOff(cpus.data(), cpus.data() + cpus.size()); }

void movedThreadIsNotPinned() {
  apart([](const Set &cpus) {
    moveOff({});
    moveOff({*cpus.begin(), *cpus.rbegin()}); // On at most two CPUs the thread stays.
    CHECK(allowed() == cpus);
    if (cpus.size() < 2)
      return;
    constexpr int kTries = 20;
    for (int cpu : cpus) {
      Set others = without(cpus, cpu);
      int moved = 0;
      for (int i = 0; i < kTries; ++i) {
        allow({cpu});
        allow(cpus); // Usually the thread is still on `cpu`; the system may move it at any time.
        moveOff({cpu});
        CHECK(allowed() == cpus);
        moved += currentCPU() != cpu;
      }
      CHECK(moved * 4 > kTries * 3);
      allow(others);
      moveOff({others.begin(), others.end()});
      CHECK(allowed() == others && others.count(currentCPU()) == 1);
      allow(cpus);
    }
  });
}

/// `blockdsl_processor` counts all CPUs of the process, independent of the thread's affinity mask.
void aProgramCountsItsCPUAmongAllOfTheProcess() {
  apart([](const Set &cpus) {
    int32_t index = 0;
    for (int cpu : cpus) {
      allow({cpu});
      CHECK(blockdsl_processor() == index++);
    }
  });
}

/// Each launch follows a pause, after which Linux may wake workers on the caller's CPU. Sometimes Linux moves a worker
/// there later.
void workersAvoidTheirCallersCPU() {
  apart([](const Set &cpus) {
    if (cpus.size() < 2)
      return;
    std::atomic<int> there{0}, elsewhere{0};
    int callers = -1;
    auto caller = std::this_thread::get_id();
    Launch launch([&](int64_t, void *) {
      (currentCPU() == callers ? there : elsewhere) += std::this_thread::get_id() != caller;
      spinFor(std::chrono::microseconds(100));
    });
    launch.run(64);
    for (int cpu : {*cpus.begin(), *cpus.rbegin()}) {
      allow({callers = cpu});
      for (int repeat = 0; repeat < 25; ++repeat) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        launch.run(64);
      }
    }
    std::printf("programs of workers on their caller's CPU: %d, elsewhere: %d\n", there.load(), elsewhere.load());
    CHECK(there * 10 <= elsewhere);
  });
}

} // namespace

int main() {
  return runTests({
      {"thread avoids one CPU at a time", threadAvoidsOneCPUAtATime},
      {"affinity changes of others are kept", affinityChangesOfOthersAreKept},
      {"only CPU is not avoided", onlyCPUIsNotAvoided},
      {"moved thread is not pinned", movedThreadIsNotPinned},
      {"a program counts its CPU among all of the process", aProgramCountsItsCPUAmongAllOfTheProcess},
      {"workers avoid their caller's CPU", workersAvoidTheirCallersCPU},
  });
}
