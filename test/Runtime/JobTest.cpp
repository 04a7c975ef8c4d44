//===- JobTest.cpp - Division of a job among threads, simulated on one thread -------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Launch.h"

#include "Participant.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

using namespace blockdsl::runtime;

namespace {

constexpr auto kFast = std::chrono::milliseconds(1), kSlow = std::chrono::milliseconds(20);

/// Advances only by the simulated times of programs, independent of the load of the machine.
struct PlayedClock : Clock {
  static inline time_point shown;
  static time_point now() { return shown; }
};

/// Simulates the four participants of a job on one thread. The first participant is the caller.
struct FourThreads {
  explicit FourThreads(int64_t programs)
      : launch([this](int64_t, void *) { PlayedClock::shown += time; }), work(launch.work(programs)),
        job(work, 0, 1e6, 4), threads{{job, 0, nullptr}, {job, 1, nullptr}, {job, 2, nullptr}, {job, 3, nullptr}} {}

  /// Runs the thread's next program with the given time. False when the thread takes no further program.
  bool runs(int thread, std::chrono::nanoseconds programTime) {
    time = programTime;
    threads[thread].resume();
    return threads[thread].runChunk();
  }
  int64_t left() const {
    return job.ranges[0].left() + job.ranges[1].left() + job.ranges[2].left() + job.ranges[3].left();
  }

  std::chrono::nanoseconds time{};
  Launch launch;
  Work work;
  Job job;
  BasicParticipant<PlayedClock> threads[4];
};

void slowThreadLeavesTheLastPrograms() {
  FourThreads four(13);
  auto othersRun = [&] { return four.runs(0, kFast) && four.runs(1, kFast) && four.runs(2, kFast); };
  CHECK(four.runs(3, kSlow) && othersRun());                     // The speeds are unknown.
  CHECK(four.runs(3, kSlow) && four.left() == 8 && othersRun()); // There are enough programs for all threads.
  CHECK(four.runs(1, kFast) && four.runs(2, kFast) && four.left() == 3);
  CHECK(!four.runs(3, kSlow) && four.left() == 3);
  CHECK(othersRun());
  CHECK(four.left() == 0 && !four.runs(1, kFast));
}

void slowCallerContinues() {
  FourThreads four(6);
  CHECK(four.runs(0, kSlow));
  for (int thread : {1, 2, 3})
    CHECK(four.runs(thread, kFast));
  CHECK(four.runs(0, kSlow) && four.runs(0, kSlow));
  CHECK(four.left() == 0);
}

/// For example the first rows of a triangle cost less than the last.
void threadsContinueIfProgramsDiffer() {
  FourThreads four(8);
  for (int thread : {0, 1, 2, 3})
    CHECK(four.runs(thread, std::chrono::milliseconds(1 << (2 * thread))));
  CHECK(four.runs(0, std::chrono::milliseconds(1)) && four.runs(1, std::chrono::milliseconds(4)) &&
        four.runs(2, std::chrono::milliseconds(16)));
  CHECK(four.left() == 1);
  CHECK(four.runs(3, std::chrono::milliseconds(64)));
}

/// Simulates launches on unsplit ranges, with given times per program.
struct UnsplitRanges {
  using Sizes = std::array<int64_t, 4>;
  static constexpr Sizes kHelped{};

  explicit UnsplitRanges(int64_t programs = 400) : work(launch.work(programs)) {}

  static Sizes sizesOf(const Job &job) {
    return {job.ranges[0].left(), job.ranges[1].left(), job.ranges[2].left(), job.ranges[3].left()};
  }
  /// The sizes of the next launch's unsplit ranges.
  Sizes sizes() {
    Job job(work, 0, 100, 4);
    job.makeUnsplitRanges();
    return sizesOf(job);
  }
  /// The sizes of the launch's ranges, or `kHelped` for split ranges.
  Sizes launchOnce(std::array<double, 4> nsPerProgram, double expected = 100) {
    Job job(work, 0, expected, 4);
    if (!job.makeUnsplitRanges())
      return kHelped;
    Sizes sizes = sizesOf(job);
    for (size_t i = 0; i < sizes.size(); ++i)
      job.ranges[i].nsPerProgram = nsPerProgram[i];
    job.recordUnsplitRanges();
    return sizes;
  }
  bool areAll(int launches, Sizes sizes, std::array<double, 4> nsPerProgram) {
    bool are = true;
    for (int i = 0; i < launches; ++i)
      are &= launchOnce(nsPerProgram) == sizes;
    return are;
  }

  Launch launch{[](int64_t, void *) {}};
  Work work;
};

constexpr UnsplitRanges::Sizes kEqual{100, 100, 100, 100};
constexpr std::array<double, 4> kAlike{100, 100, 100, 100}, kAlmostAlike{100, 110, 130, 100},
    kSecondIsSlow{100, 200, 100, 100};
/// Enough launches to forget the times before them.
constexpr int kManyLaunches = 200;

void rangesAreUnsplitAndEqualForEqualThreads() {
  UnsplitRanges four;
  CHECK(four.areAll(kManyLaunches, kEqual, kAlmostAlike));
  CHECK(four.launchOnce(kAlmostAlike, 20) == kEqual);
  CHECK(four.launchOnce(kAlmostAlike, 300) == UnsplitRanges::kHelped);
  CHECK(four.launch.cost.get() > 109 && four.launch.cost.get() < 111);
}

void oneUnevenLaunchChangesNothing() {
  UnsplitRanges four;
  for (int repeat = 0; repeat < kManyLaunches; ++repeat) {
    CHECK(four.areAll(3, kEqual, kAlike));
    CHECK(four.areAll(1, kEqual, {100, 150, 100, 100}));
  }
  // The same applies to a single long preemption.
  CHECK(four.areAll(1, kEqual, {100, 100, 100, 1e6}));
  four.launchOnce(kAlike);
  CHECK(four.launchOnce(kAlike)[3] > 50);
}

void slowThreadGetsFewerPrograms() {
  UnsplitRanges four;
  // In units of 100 ns, the best sizes take 400 / 3.5, or about 457 / 4.
  auto isGood = [](UnsplitRanges::Sizes sizes) {
    double longest = static_cast<double>(std::max({sizes[0], sizes[1] * 2, sizes[2], sizes[3]}));
    return longest * 4 <= 457 * kEqualCosts + 4;
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int i = 0; i < kManyLaunches; ++i)
      four.launchOnce(kSecondIsSlow);
    auto sizes = four.sizes();
    CHECK(isGood(sizes) && !isGood(kEqual));
    CHECK(four.areAll(kManyLaunches, sizes, kSecondIsSlow));
    // Good sizes stay, because a program in another range finds its data in the wrong cache.
    CHECK(four.areAll(kManyLaunches, sizes, {100, 190, 90, 100}));
    for (int i = 0; i < kManyLaunches; ++i)
      four.launchOnce(kAlike);
    CHECK(four.areAll(kManyLaunches, kEqual, kAlmostAlike));
  }
  // Short ranges stay equal.
  UnsplitRanges ofShortOnes;
  for (int i = 0; i < kManyLaunches; ++i)
    CHECK(ofShortOnes.launchOnce(kSecondIsSlow, 20) == kEqual);
}

/// The programs differ instead of the threads: program `i` takes `i` nanoseconds.
void rangesOfATriangleFinishTogether() {
  UnsplitRanges four;
  std::array<double, 4> took{};
  for (int launch = 0; launch < kManyLaunches; ++launch) {
    std::array<double, 4> costs{};
    int64_t first = 0;
    auto sizes = four.sizes();
    for (size_t i = 0; i < costs.size(); ++i) {
      costs[i] = static_cast<double>(first) + static_cast<double>(sizes[i]) / 2;
      took[i] = costs[i] * static_cast<double>(sizes[i]);
      first += sizes[i];
    }
    CHECK(four.launchOnce(costs) == sizes);
  }
  CHECK(*std::max_element(took.begin(), took.end()) < 400 * 400 / 2 / 4 * kToleratedImbalance);
}

/// Even a thread that is a thousand times slower or faster leaves every thread some programs.
void rangeSizesAreBounded() {
  UnsplitRanges four;
  four.launchOnce({100, 100, 100, 1e5});
  auto sizes = four.launchOnce(kAlmostAlike);
  CHECK(sizes[0] == sizes[1] && sizes[3] >= 20);
  UnsplitRanges other;
  other.launchOnce({1, 100, 100, 100});
  sizes = other.launchOnce(kAlmostAlike);
  CHECK(std::abs(sizes[1] - sizes[2]) <= 1 && sizes[1] >= 20 && sizes[0] + sizes[1] + sizes[2] + sizes[3] == 400);
}

void fewProgramsAreDividedEqually() {
  UnsplitRanges four(31);
  UnsplitRanges::Sizes sizes{7, 8, 8, 8};
  for (int i = 0; i < 20; ++i)
    CHECK(four.launchOnce(kSecondIsSlow, 1000) == sizes);
}

/// A launch with another number of ranges resets the sizes.
void sizesBelongToANumberOfRanges() {
  UnsplitRanges four;
  auto launchOnTwo = [&] {
    Job ofTwo(four.work, 0, 50, 2);
    CHECK(ofTwo.makeUnsplitRanges() && ofTwo.ranges[0].left() == 200);
    ofTwo.ranges[0].nsPerProgram = 50;
    ofTwo.ranges[1].nsPerProgram = 100;
    ofTwo.recordUnsplitRanges();
  };
  for (int i = 0; i < kManyLaunches; ++i)
    four.launchOnce(kSecondIsSlow);
  CHECK(four.launchOnce(kSecondIsSlow) != kEqual);
  launchOnTwo();
  CHECK(four.launchOnce(kSecondIsSlow) == kEqual);
}

/// In each launch another thread is slow. The phases of split ranges become longer until the threads are alike.
void rangesAreSplitIfSizesDoNotBalance() {
  UnsplitRanges four;
  auto loseMuch = [&] {
    int launches = 0;
    std::array<double, 4> costs;
    do {
      costs = {100, 100, 100, 100};
      costs[static_cast<size_t>(launches++ % 4)] = 2000;
      CHECK(launches < kManyLaunches);
    } while (launches < kManyLaunches && four.launchOnce(costs) != UnsplitRanges::kHelped);
    return launches;
  };
  int before = loseMuch();
  CHECK(before > 4);
  for (int helped = kSplitLaunches; helped < 4 * kMaxSplitLaunches; helped *= 2) {
    CHECK(four.areAll(std::min(helped, kMaxSplitLaunches) - 1, UnsplitRanges::kHelped, kAlike));
    CHECK(four.launchOnce(kAlike) == kEqual);
    CHECK(loseMuch() < before);
  }
  CHECK(four.areAll(kMaxSplitLaunches - 1, UnsplitRanges::kHelped, kAlike));
  CHECK(four.areAll(kManyLaunches, kEqual, kAlike));
  loseMuch();
  CHECK(four.areAll(kSplitLaunches - 1, UnsplitRanges::kHelped, kAlike));
  CHECK(four.launchOnce(kAlike) == kEqual);
}

/// `cpusIfOneIsShared` returns the CPUs of all ranges if another range started on the same CPU.
void rangesStartedOnOneCPUAreDetected() {
  Launch launch([](int64_t, void *) {});
  Work work = launch.work(400);
  Job job(work, 0, 100, 4);
  auto begin = [&](std::array<int, 4> cpus) {
    for (size_t i = 0; i < cpus.size(); ++i)
      job.ranges[i].cpu = cpus[i];
  };
  CHECK(job.cpusIfOneIsShared(1).empty()); // No range has started, or its CPU is unknown.
  begin({3, 5, 0, 7});
  for (int range : {0, 1, 2, 3})
    CHECK(job.cpusIfOneIsShared(range).empty());
  begin({3, 5, -1, 3});
  CHECK(job.cpusIfOneIsShared(1).empty() && job.cpusIfOneIsShared(2).empty());
  for (int range : {0, 3}) {
    auto cpus = job.cpusIfOneIsShared(range);
    CHECK((std::set<int>(cpus.begin(), cpus.end()) == std::set<int>{3, 5}));
  }
}

} // namespace

int main() {
  return runTests({
      {"slow thread leaves the last programs", slowThreadLeavesTheLastPrograms},
      {"slow caller continues", slowCallerContinues},
      {"threads continue if programs differ", threadsContinueIfProgramsDiffer},
      {"ranges are unsplit and equal for equal threads", rangesAreUnsplitAndEqualForEqualThreads},
      {"one uneven launch changes nothing", oneUnevenLaunchChangesNothing},
      {"slow thread gets fewer programs", slowThreadGetsFewerPrograms},
      {"ranges of a triangle finish together", rangesOfATriangleFinishTogether},
      {"range sizes are bounded", rangeSizesAreBounded},
      {"few programs are divided equally", fewProgramsAreDividedEqually},
      {"sizes belong to a number of ranges", sizesBelongToANumberOfRanges},
      {"ranges are split if sizes do not balance", rangesAreSplitIfSizesDoNotBalance},
      {"ranges started on one CPU are detected", rangesStartedOnOneCPUAreDetected},
  });
}
