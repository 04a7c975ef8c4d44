//===- Job.h - One launch, as the threads share it ----------------------------------------------------------------===//
//
// Each thread has a range of the programs, takes chunks of it in increasing order, and helps with the others' ranges
// when it is through with its own. A chunk is a part of what is left of a range, so that the threads end together
// ("Guided self-scheduling", Polychronopoulos and Kuck, 1987).
//
// What many threads write has to travel from core to core, which takes as long as a short chunk. So while a launch runs
// they write nothing but the ranges, and each learns by itself what the programs cost. Only where programs are long do
// threads compare their speeds, so that none on a slow core holds the end of a launch up with the last of them.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_JOB_H
#define BLOCKDSL_LIB_RUNTIME_JOB_H

#include "blockdsl/Runtime/ParallelFor.h"

#include "ThreadId.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace blockdsl::runtime {

using Clock = std::chrono::steady_clock;

/// A chunk is at least this long, so that claiming it is no cost ...
constexpr double kShortestChunkNs = 3e3;
/// ... and at most this long, so that Ctrl-C is heard ...
constexpr double kLongestChunkNs = 500e3;
/// ... and in between, a range is left for so many.
constexpr int64_t kChunksLeft = 4;
/// Beside a program as long as this, it is no cost to look at the other threads' ranges ...
constexpr double kLongProgramNs = 20e3;
/// ... and threads whose costs differ by less are equally fast.
constexpr double kAlike = 1.25;
/// A range that is run in one piece takes at most this long.
constexpr double kUnsplitRangeNs = 25e3;
/// So many programs an average range has at least, where ranges differ.
constexpr int64_t kDivisible = 8;
/// A caller looks for Ctrl-C this often.
constexpr auto kInterruptInterval = std::chrono::milliseconds(10);

/// A few CPUs by their numbers, in memory of its own.
template <int most> class CPUList {
public:
  void add(int cpu) { cpus[static_cast<size_t>(count++)] = cpu; }
  bool empty() const { return count == 0; }
  const int *begin() const { return cpus.data(); }
  const int *end() const { return cpus.data() + count; }

private:
  std::array<int, most> cpus;
  int count = 0;
};

/// Programs that one thread starts with. A launch usually touches what the one before it did, and the same programs
/// on the same thread find it in the core's own cache.
struct alignas(64) WorkRange {
  std::atomic<int64_t> next;
  int64_t end;
  /// What a program costs that thread, where programs are long or the range was run in one piece; else 0.
  std::atomic<double> nsPerProgram;
  /// Workers who have come for this range, and those who are through, of an executor whose workers say so here ...
  std::atomic<int> came, ended;
  /// ... with the CPU that the last of them has come on; else -1.
  std::atomic<int> cpu;
  /// Of the first worker's range: who that is. It is written beside what he writes anyhow.
  std::atomic<ThreadId> firstWorker;

  /// Programs that nobody has claimed.
  int64_t left() const { return std::max<int64_t>(0, end - next.load(std::memory_order_relaxed)); }
};

struct alignas(64) Job {
  Job(const Work &work, int64_t first, double nsPerProgram, int threads)
      : rangeCount(work.waits ? 1 : std::min(threads, kMaxWorkRanges)), work(work), begin(first),
        nsPerProgram(nsPerProgram) {
    for (int i = 0; i < rangeCount; ++i) {
      ranges[i].next.store(first, std::memory_order_relaxed);
      first += (work.programs - first) / (rangeCount - i);
      ranges[i].end = first;
      ranges[i].nsPerProgram.store(0, std::memory_order_relaxed);
      ranges[i].came.store(0, std::memory_order_relaxed);
      ranges[i].ended.store(0, std::memory_order_relaxed);
      ranges[i].cpu.store(-1, std::memory_order_relaxed);
      ranges[i].firstWorker.store(ThreadId{}, std::memory_order_relaxed);
    }
  }

  const int rangeCount;
  /// A copy: what a worker reads of it comes on one line from the caller's cache.
  const Work work;
  /// The first program.
  const int64_t begin;
  /// What earlier launches have shown; it may be wrong for this one.
  const double nsPerProgram;
  /// The caller's is the first.
  WorkRange ranges[kMaxWorkRanges];
  /// Of programs that may wait for each other: how many have begun, and how many have ended, together.
  alignas(64) std::atomic<int64_t> progress{0};
  /// ... and how many run now.
  std::atomic<int> running{0};

  /// The range of a worker, who is counted from 0. The caller's is the first, and two have one where more come than
  /// there are.
  int rangeOf(int worker) const { return rangeCount == 1 ? 0 : 1 + worker % (rangeCount - 1); }

  /// What a range takes if all are equal.
  double nsPerRange() const { return nsPerProgram * static_cast<double>(work.programs) / rangeCount; }

  /// Whether nobody is to help with others' ranges; then they have the sizes that ended together before. One that is
  /// short takes less time than it takes to look for what is left of the others; and of a longer one, which was in its
  /// thread's cache, what another thread takes is not in his.
  bool makeUnsplitRanges() {
    if (nsPerRange() <= kShortestChunkNs)
      return true;
    WorkRangeSizes &sizes = work.cost->rangeSizes;
    if (nsPerRange() > kUnsplitRangeNs || !sizes.areWhole())
      return false;
    if (sizes.differ(rangeCount) && work.programs - begin >= kDivisible * rangeCount)
      resize(sizes);
    return true;
  }

  /// Runs a range that nobody else takes a part of. It begins now.
  void runWhole(int which, Clock::time_point start, void *scratch) {
    if (work.context->hasFailed() || work.context->isStopped())
      dropRest();
    WorkRange &range = ranges[which];
    int64_t first = range.next.load(std::memory_order_relaxed);
    range.next.store(range.end, std::memory_order_relaxed);
    work.function(work.args, first, range.end, scratch);
    double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    range.nsPerProgram.store(ns / static_cast<double>(std::max<int64_t>(1, range.end - first)),
                             std::memory_order_relaxed);
  }

  /// After all have run their ranges in one piece: learns what they took.
  void recordUnsplitRanges() const {
    auto cost = [this](int i) { return ranges[i].nsPerProgram.load(std::memory_order_relaxed); };
    auto took = [&](int i) { return cost(i) * static_cast<double>(programsOf(i)); };
    if (nsPerRange() > kShortestChunkNs)
      work.cost->rangeSizes.record(rangeCount, took, cost);
    double all = 0;
    int64_t programs = 0;
    for (int i = 0; i < rangeCount; ++i)
      if (cost(i) != 0) {
        all += took(i);
        programs += programsOf(i);
      }
    if (programs != 0)
      work.cost->record(static_cast<int64_t>(all), programs);
  }

  /// The CPUs of all ranges, if another one has this range's; else none. Allocates nothing: on a worker's thread there
  /// is nobody to whom a lack of memory could be reported.
  CPUList<kMaxWorkRanges + 1> cpusIfOneIsShared(int range) const {
    CPUList<kMaxWorkRanges + 1> cpus;
    int own = ranges[range].cpu.load(std::memory_order_relaxed);
    for (int i = 0; cpus.empty() && i < rangeCount; ++i)
      if (i != range && own >= 0 && ranges[i].cpu.load(std::memory_order_relaxed) == own)
        cpus.add(own);
    for (int i = 0; !cpus.empty() && i < rangeCount; ++i)
      if (int cpu = ranges[i].cpu.load(std::memory_order_relaxed); cpu >= 0)
        cpus.add(cpu);
    return cpus;
  }

  bool areAllClaimed() const {
    return std::all_of(ranges, ranges + rangeCount, [](const WorkRange &range) { return range.left() == 0; });
  }

  void dropRest() {
    for (int i = 0; i < rangeCount; ++i)
      ranges[i].next.store(ranges[i].end, std::memory_order_relaxed);
  }

private:
  int64_t programsOf(int range) const { return ranges[range].end - (range == 0 ? begin : ranges[range - 1].end); }

  /// Before anybody has begun.
  void resize(const WorkRangeSizes &sizes) {
    std::array<double, kMaxWorkRanges> ends;
    double all = 0;
    for (int i = 0; i < rangeCount; ++i)
      ends[static_cast<size_t>(i)] = all += static_cast<double>(sizes.of(i));
    int64_t first = begin;
    for (int i = 0; i < rangeCount; ++i) {
      double part = i + 1 == rangeCount ? 1 : ends[static_cast<size_t>(i)] / all;
      ranges[i].next.store(first, std::memory_order_relaxed);
      first = begin + static_cast<int64_t>(static_cast<double>(work.programs - begin) * part);
      ranges[i].end = first;
    }
  }
};

static_assert(offsetof(Job, work) + offsetof(Work, waits) <= 64, "what a worker reads is one line");

/// One thread's part in a job. Tests have a clock of their own.
template <typename Clock> class ParticipantBy {
public:
  ParticipantBy(Job &job, int range, void *scratch) : job(job), own(range), scratch(scratch), now(Clock::now()) {
    setChunk(1 / job.nsPerProgram);
    most = least; // Until one has been timed.
  }

  /// Claims a chunk and runs it. False when none is left, or those left are better left to the others.
  bool runChunk() {
    const Work &work = job.work;
    if (work.context->hasFailed() || work.context->isStopped())
      job.dropRest();
    int64_t first, last;
    if (isTooSlow() || !claim(first, last))
      return false;
    if (work.waits) {
      job.running.fetch_add(1);
      job.progress.fetch_add(1);
    }
    work.function(work.args, first, last, scratch);
    if (work.waits) {
      job.progress.fetch_add(1);
      job.running.fetch_sub(1);
    }
    typename Clock::time_point before = now;
    now = Clock::now();
    int64_t taken = std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::nanoseconds>(now - before).count());
    ns += taken;
    programs += last - first;
    if (nsPerProgram() >= kLongProgramNs)
      job.ranges[own].nsPerProgram.store(nsPerProgram(), std::memory_order_relaxed);
    setChunk(static_cast<double>(last - first) / static_cast<double>(taken));
    most = std::min(most, (last - first) * 2);
    return true;
  }

  /// When the last chunk ended.
  typename Clock::time_point endOfChunk() const { return now; }
  /// What the thread has done since then is no chunk's time.
  typename Clock::time_point resume() { return now = Clock::now(); }

  void recordCost() const {
    if (programs != 0)
      job.work.cost->record(ns, programs);
  }

private:
  Job &job;
  const int own;
  void *const scratch;
  typename Clock::time_point now;
  /// Programs in the next chunk.
  int64_t least, most;
  /// All chunks together.
  int64_t ns = 0, programs = 0;

  double nsPerProgram() const { return static_cast<double>(ns) / static_cast<double>(std::max<int64_t>(1, programs)); }

  void setChunk(double programsPerNs) {
    auto programsIn = [&](double ns) {
      double most = job.work.waits ? 1 : static_cast<double>(job.work.programs);
      return std::max<int64_t>(1, static_cast<int64_t>(std::min(ns * programsPerNs, most)));
    };
    least = programsIn(kShortestChunkNs);
    most = programsIn(kLongestChunkNs);
  }

  /// Whether the others will have run what is left before this thread has run one more program. They end a program each
  /// now and then, evenly spread, so the last of those left begins after its part of a program's time. The caller, who
  /// has to wait anyhow, stays; and so does everybody unless most others are equally fast, because elsewhere it may be
  /// the programs that differ, and not the threads.
  bool isTooSlow() const {
    double mine = nsPerProgram(), fastest = mine;
    if (own == 0 || mine < kLongProgramNs)
      return false;
    auto cost = [&](int i) { return job.ranges[i].nsPerProgram.load(std::memory_order_relaxed); };
    for (int i = 0; i < job.rangeCount; ++i)
      if (cost(i) != 0)
        fastest = std::min(fastest, cost(i));
    if (mine <= fastest * kAlike)
      return false;
    int64_t alike = 0, left = 0;
    for (int i = 0; i < job.rangeCount; ++i) {
      alike += cost(i) != 0 && cost(i) <= fastest * kAlike;
      left += job.ranges[i].left();
    }
    if (alike * 4 < (job.rangeCount - 1) * 3 || left > alike)
      return false;
    return mine > fastest * kAlike * (1 + static_cast<double>(left) / static_cast<double>(alike));
  }

  /// Takes the next chunk of the thread's own range, or else of the first that follows and has one.
  bool claim(int64_t &first, int64_t &last) {
    for (int i = 0; i < job.rangeCount; ++i) {
      WorkRange &range = job.ranges[(own + i) % job.rangeCount];
      int64_t left = range.left();
      if (left == 0)
        continue;
      int64_t size = std::min(std::max(left / kChunksLeft, least), most);
      first = range.next.fetch_add(size, std::memory_order_relaxed);
      last = std::min(first + size, range.end);
      if (first < last)
        return true;
    }
    return false;
  }
};

using Participant = ParticipantBy<Clock>;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_JOB_H
