//===- JobTest.cpp - How threads share a job, step by step, on one thread -----------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Launch.h"

#include "Job.h"

#include <array>

using namespace blockdsl::runtime;

namespace {

constexpr auto kFast = std::chrono::milliseconds(1), kSlow = std::chrono::milliseconds(20);

/// Shows what the programs say that they took: a busy machine's clock would show more.
struct PlayedClock : Clock {
  static inline time_point shown;
  static time_point now() { return shown; }
};

/// Four threads' parts in a job, played by one; the caller is the first.
struct FourThreads {
  explicit FourThreads(int64_t programs)
      : launch([this](int64_t, void *) { PlayedClock::shown += time; }), work(launch.work(programs)),
        job(work, 0, 1e6, 4), threads{{job, 0, nullptr}, {job, 1, nullptr}, {job, 2, nullptr}, {job, 3, nullptr}} {}

  /// Whether the thread runs another program, which takes that long.
  bool runs(int thread, std::chrono::nanoseconds programTime) {
    time = programTime;
    threads[thread].resume();
    return threads[thread].runChunk();
  }
  int64_t left() const {
    return job.shares[0].left() + job.shares[1].left() + job.shares[2].left() + job.shares[3].left();
  }

  std::chrono::nanoseconds time{};
  Launch launch;
  Work work;
  Job job;
  ParticipantBy<PlayedClock> threads[4];
};

void aSlowThreadLeavesTheLastPrograms() {
  FourThreads four(13);
  auto othersRun = [&] { return four.runs(0, kFast) && four.runs(1, kFast) && four.runs(2, kFast); };
  CHECK(four.runs(3, kSlow) && othersRun());                     // Nobody is known to be faster.
  CHECK(four.runs(3, kSlow) && four.left() == 8 && othersRun()); // There is enough for everybody.
  CHECK(four.runs(1, kFast) && four.runs(2, kFast) && four.left() == 3);
  CHECK(!four.runs(3, kSlow) && four.left() == 3);
  CHECK(othersRun());
  CHECK(four.left() == 0 && !four.runs(1, kFast));
}

void aSlowCallerStays() {
  FourThreads four(6);
  CHECK(four.runs(0, kSlow));
  for (int thread : {1, 2, 3})
    CHECK(four.runs(thread, kFast));
  CHECK(four.runs(0, kSlow) && four.runs(0, kSlow));
  CHECK(four.left() == 0);
}

/// As they do where the first rows of a triangle cost less than the last.
void threadsStayWhereProgramsDiffer() {
  FourThreads four(8);
  for (int thread : {0, 1, 2, 3})
    CHECK(four.runs(thread, std::chrono::milliseconds(1 << (2 * thread))));
  CHECK(four.runs(0, std::chrono::milliseconds(1)) && four.runs(1, std::chrono::milliseconds(4)) &&
        four.runs(2, std::chrono::milliseconds(16)));
  CHECK(four.left() == 1);
  CHECK(four.runs(3, std::chrono::milliseconds(64)));
}

/// Shares of ten microseconds are, until one takes much longer than the others again and again.
void sharesAreWholeWhereTheyAreAlike() {
  Launch launch([](int64_t, void *) {});
  Work work = launch.work(400);
  Job job(work, 0, 100, 4), ofShortOnes(work, 0, 20, 4), ofLongOnes(work, 0, 300, 4);
  auto take = [&](std::array<double, 4> ns) {
    for (size_t i = 0; i < ns.size(); ++i)
      job.shares[i].nsPerProgram = ns[i];
    job.recordWholeShares(100);
  };
  CHECK(job.hasWholeShares() && ofShortOnes.hasWholeShares() && !ofLongOnes.hasWholeShares());
  take({100, 110, 130, 100});
  CHECK(job.hasWholeShares());
  for (int i = 1; i < kUnevenInARow; ++i)
    take({100, 100, 100, 200});
  CHECK(job.hasWholeShares());
  take({100, 110, 130, 100}); // By chance, then.
  for (int i = 1; i < kUnevenInARow; ++i)
    take({100, 100, 100, 200});
  CHECK(job.hasWholeShares());
  take({300, 100, 100, 100}); // The caller's.
  for (int i = 0; i < kLaunchesHelped; ++i)
    CHECK(!job.hasWholeShares() && ofShortOnes.hasWholeShares());
  CHECK(job.hasWholeShares());
  CHECK(launch.cost.get() > 100);
}

} // namespace

int main() {
  return runTests({
      {"a slow thread leaves the last programs", aSlowThreadLeavesTheLastPrograms},
      {"a slow caller stays", aSlowCallerStays},
      {"threads stay where programs differ", threadsStayWhereProgramsDiffer},
      {"shares are whole where they are alike", sharesAreWholeWhereTheyAreAlike},
  });
}
