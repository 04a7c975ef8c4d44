//===- Job.h - Programs of one launch, divided among threads ------------------------------------------------------===//
//
// Each thread has a range of the programs, claims chunks of it in increasing order, and then claims chunks of the other
// ranges. A chunk is a part of the unclaimed rest of a range, so that threads finish together ("Guided
// self-scheduling", Polychronopoulos and Kuck, 1987). Participant.h has the claiming thread.
//
// A cache line that many threads write moves from core to core, which takes as long as a short chunk. So during a
// launch threads write nothing but the ranges, and each measures the cost of programs by itself. Threads compare their
// speeds only if programs are long, so that no slow core delays the end of a launch with the last program.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_JOB_H
#define BLOCKDSL_LIB_RUNTIME_JOB_H

#include "blockdsl/Runtime/ParallelFor.h"

#include "WorkRange.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace blockdsl::runtime {

using Clock = std::chrono::steady_clock;

/// Shortest chunk, which makes the cost of claiming it negligible.
constexpr double kShortestChunkNs = 3e3;
/// Longest time of a range that is run in one piece.
constexpr double kUnsplitRangeNs = 25e3;
/// Least average number of programs per range for ranges of different sizes.
constexpr int64_t kDivisible = 8;
/// Time between two checks for Ctrl-C on the caller's thread.
constexpr auto kInterruptInterval = std::chrono::milliseconds(10);

/// A list of CPU numbers with inline storage.
template <int capacity> class CPUList {
public:
  void add(int cpu) { cpus[static_cast<size_t>(count++)] = cpu; }
  bool empty() const { return count == 0; }
  const int *begin() const { return cpus.data(); }
  const int *end() const { return cpus.data() + count; }

private:
  std::array<int, capacity> cpus;
  int count = 0;
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
      ranges[i].joined.store(0, std::memory_order_relaxed);
      ranges[i].finished.store(0, std::memory_order_relaxed);
      ranges[i].cpu.store(-1, std::memory_order_relaxed);
      ranges[i].firstWorker.store(ThreadId{}, std::memory_order_relaxed);
    }
  }

  const int rangeCount;
  /// A copy, so that workers read a single cache line of the caller's.
  const Work work;
  /// The first program.
  const int64_t begin;
  /// Estimate from earlier launches, which may be wrong for this one.
  const double nsPerProgram;
  /// The caller has the first one.
  WorkRange ranges[kMaxWorkRanges];
  /// Sum of programs started and programs ended, if programs may wait for each other.
  alignas(64) std::atomic<int64_t> progress{0};
  /// Number of programs that run now, if programs may wait for each other.
  std::atomic<int> running{0};

  /// Returns the range of a worker, counted from 0. The first range is the caller's. Excess workers share ranges.
  int rangeOf(int worker) const { return rangeCount == 1 ? 0 : 1 + worker % (rangeCount - 1); }

  /// Returns the estimated time of a range if all are equal.
  double nsPerRange() const { return nsPerProgram * static_cast<double>(work.programs) / rangeCount; }

  /// Decides whether each thread runs exactly its range. If so, sets the sizes with which threads finished together
  /// before. A short range takes less time than a search for chunks of the others; the data of a longer range is in the
  /// cache of its own thread only.
  bool makeUnsplitRanges() {
    if (nsPerRange() <= kShortestChunkNs)
      return true;
    WorkRangeSizes &sizes = work.cost->rangeSizes;
    if (nsPerRange() > kUnsplitRangeNs || !sizes.areUnsplit())
      return false;
    if (sizes.differ(rangeCount) && work.programs - begin >= kDivisible * rangeCount)
      resize(sizes);
    return true;
  }

  /// Runs a range in one piece, starting at `start`.
  void runUnsplit(int index, Clock::time_point start, void *scratch) {
    if (work.context->hasFailed() || work.context->isStopped())
      dropRest();
    WorkRange &range = ranges[index];
    int64_t first = range.next.load(std::memory_order_relaxed);
    range.next.store(range.end, std::memory_order_relaxed);
    work.function(work.args, first, range.end, scratch);
    double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    range.nsPerProgram.store(ns / static_cast<double>(std::max<int64_t>(1, range.end - first)),
                             std::memory_order_relaxed);
  }

  /// Records the times of all ranges after a launch whose ranges were run in one piece.
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

  /// Returns the CPUs of all ranges if another range has the CPU of this one; else none. Does not allocate, because
  /// workers cannot report a lack of memory.
  CPUList<kMaxWorkRanges + 1> cpusIfOneIsShared(int range) const {
    CPUList<kMaxWorkRanges + 1> cpus;
    int ownCPU = ranges[range].cpu.load(std::memory_order_relaxed);
    for (int i = 0; cpus.empty() && i < rangeCount; ++i)
      if (i != range && ownCPU >= 0 && ranges[i].cpu.load(std::memory_order_relaxed) == ownCPU)
        cpus.add(ownCPU);
    for (int i = 0; !cpus.empty() && i < rangeCount; ++i)
      if (int cpu = ranges[i].cpu.load(std::memory_order_relaxed); cpu >= 0)
        cpus.add(cpu);
    return cpus;
  }

  bool areAllClaimed() const {
    return std::all_of(ranges, ranges + rangeCount, [](const WorkRange &range) { return range.left() == 0; });
  }

  /// Drops all unclaimed programs.
  void dropRest() {
    for (int i = 0; i < rangeCount; ++i)
      ranges[i].next.store(ranges[i].end, std::memory_order_relaxed);
  }

private:
  int64_t programsOf(int range) const { return ranges[range].end - (range == 0 ? begin : ranges[range - 1].end); }

  /// Resizes the ranges before any program has started.
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

static_assert(offsetof(Job, work) + offsetof(Work, waits) <= 64, "workers read one cache line");

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_JOB_H
