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

/// Launches whose threads run their shares in one piece, and take what they are told for a program.
struct WholeShares {
  using Sizes = std::array<int64_t, 4>;
  static constexpr Sizes kHelped{};

  explicit WholeShares(int64_t programs = 400) : work(launch.work(programs)) {}

  /// The shares' sizes; those of none where threads help each other.
  Sizes launchOnce(std::array<double, 4> nsPerProgram, double expected = 100) {
    Job job(work, 0, expected, 4);
    if (!job.makeWholeShares())
      return kHelped;
    Sizes sizes;
    for (size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = job.shares[i].left();
      job.shares[i].nsPerProgram = nsPerProgram[i];
    }
    job.recordWholeShares();
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

constexpr WholeShares::Sizes kEqual{100, 100, 100, 100};
constexpr std::array<double, 4> kAlmostAlike{100, 110, 130, 100}, kSecondIsSlow{100, 200, 100, 100};

void sharesAreWholeAndEqualWhereTheyAreAlike() {
  WholeShares four;
  CHECK(four.areAll(2 * kLaunchesBelieved, kEqual, kAlmostAlike));
  CHECK(four.launchOnce(kAlmostAlike, 20) == kEqual);
  CHECK(four.launchOnce(kAlmostAlike, 300) == WholeShares::kHelped);
  CHECK(four.launch.cost.get() > 109 && four.launch.cost.get() < 111);
}

void oneUnevenLaunchIsChance() {
  WholeShares four;
  for (int repeat = 0; repeat < 4; ++repeat) {
    CHECK(four.areAll(kUnevenInARow - 1, kEqual, kSecondIsSlow));
    CHECK(four.areAll(1, kEqual, kAlmostAlike));
  }
}

/// So many launches long; then all are asked again.
void aSlowThreadGetsLess() {
  constexpr WholeShares::Sizes kLess{114, 57, 114, 115};
  WholeShares four;
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(four.areAll(kUnevenInARow, kEqual, kSecondIsSlow));
    CHECK(four.areAll(kLaunchesBelieved, kLess, kSecondIsSlow));
  }
  // Short shares are not worth the look.
  WholeShares ofShortOnes;
  for (int i = 0; i < 2 * kUnevenInARow; ++i)
    CHECK(ofShortOnes.launchOnce(kSecondIsSlow, 20) == kEqual);
}

/// Not even a thread that takes a thousand times as long is left without work, or is the only one with any.
void sizesHaveBounds() {
  WholeShares four;
  CHECK(four.areAll(kUnevenInARow, kEqual, {100, 100, 100, 1e5}));
  auto sizes = four.launchOnce(kAlmostAlike);
  CHECK(sizes[0] == sizes[1] && sizes[3] >= 20);
  WholeShares other;
  CHECK(other.areAll(kUnevenInARow, kEqual, {1, 100, 100, 100}));
  sizes = other.launchOnce(kAlmostAlike);
  CHECK(sizes[1] == sizes[2] && sizes[1] >= 4 && sizes[0] + sizes[1] + sizes[2] + sizes[3] == 400);
}

void fewProgramsStayEqual() {
  WholeShares four(31);
  WholeShares::Sizes sizes{7, 8, 8, 8};
  for (int i = 0; i < 2 * kUnevenInARow; ++i)
    CHECK(four.launchOnce(kSecondIsSlow, 1000) == sizes);
}

/// What launches of fewer shares took says nothing of these, and the other way round, however they follow each other.
void sizesAreOfSoManyShares() {
  WholeShares four;
  auto launchTwo = [&] {
    Job ofTwo(four.work, 0, 50, 2);
    CHECK(ofTwo.makeWholeShares() && ofTwo.shares[0].left() == 200);
    ofTwo.shares[0].nsPerProgram = 50;
    ofTwo.shares[1].nsPerProgram = 500;
    ofTwo.recordWholeShares();
  };
  CHECK(four.areAll(kUnevenInARow - 1, kEqual, kSecondIsSlow));
  launchTwo();
  CHECK(four.areAll(kUnevenInARow, kEqual, kSecondIsSlow));
  CHECK(four.launchOnce(kSecondIsSlow) != kEqual);
  for (int repeat = 0; repeat < 2 * kUnevenInARow; ++repeat) {
    launchTwo();
    CHECK(four.launchOnce(kSecondIsSlow)[1] == 57);
  }
}

/// Where another one is slow each time; for longer and longer, until they are alike.
void threadsHelpEachOtherWhereSizesDoNot() {
  WholeShares four;
  auto mostChanges = [&] {
    for (int change = 0; change <= kMostChanges; ++change)
      for (int i = 0; i < kUnevenInARow; ++i)
        CHECK(four.launchOnce(change % 2 ? kSecondIsSlow : std::array<double, 4>{100, 100, 100, 900}) !=
              WholeShares::kHelped);
  };
  for (int helped = kLaunchesHelped; helped < 4 * kLaunchesBelieved; helped *= 2) {
    mostChanges();
    CHECK(four.areAll(std::min(helped, kLaunchesBelieved), WholeShares::kHelped, kAlmostAlike));
  }
  CHECK(four.areAll(kEvenInARow, kEqual, kAlmostAlike));
  mostChanges();
  CHECK(four.areAll(kLaunchesHelped, WholeShares::kHelped, kAlmostAlike));
  CHECK(four.launchOnce(kAlmostAlike) == kEqual);
}

/// Sizes that were right for a while are no attempt that failed.
void sizesThatWereRightChangeAgain() {
  constexpr std::array<double, 4> kFirstIsSlow{200, 100, 100, 100};
  WholeShares four;
  for (int change = 0; change < 4 * kMostChanges; ++change) {
    auto slow = change % 2 ? kFirstIsSlow : kSecondIsSlow;
    for (int i = 0; i < kUnevenInARow + kEvenInARow; ++i)
      CHECK(four.launchOnce(slow) != WholeShares::kHelped);
    auto sizes = four.launchOnce(slow);
    CHECK(sizes[change % 2 ? 0 : 1] == 57 && sizes[2] == 114);
  }
}

} // namespace

int main() {
  return runTests({
      {"a slow thread leaves the last programs", aSlowThreadLeavesTheLastPrograms},
      {"a slow caller stays", aSlowCallerStays},
      {"threads stay where programs differ", threadsStayWhereProgramsDiffer},
      {"shares are whole and equal where they are alike", sharesAreWholeAndEqualWhereTheyAreAlike},
      {"one uneven launch is chance", oneUnevenLaunchIsChance},
      {"a slow thread gets less", aSlowThreadGetsLess},
      {"sizes have bounds", sizesHaveBounds},
      {"few programs stay equal", fewProgramsStayEqual},
      {"sizes are of so many shares", sizesAreOfSoManyShares},
      {"sizes that were right change again", sizesThatWereRightChangeAgain},
      {"threads help each other where sizes do not", threadsHelpEachOtherWhereSizesDoNot},
  });
}
