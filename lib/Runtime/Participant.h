//===- Participant.h - Claims and runs chunks of a job on one thread ----------------------------------------------===//
//
// The size of chunks follows the measured time of the programs before.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_PARTICIPANT_H
#define BLOCKDSL_LIB_RUNTIME_PARTICIPANT_H

#include "Job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace blockdsl::runtime {

/// Longest chunk, because Ctrl-C is handled between chunks.
constexpr double kLongestChunkNs = 500e3;
/// Between these bounds, a chunk is the unclaimed part of the range divided by this.
constexpr int64_t kChunksLeft = 4;
/// Programs of this length make the cost of reading the other threads' ranges negligible.
constexpr double kLongProgramNs = 20e3;
/// Threads count as equally fast if their times per program differ by less than this factor.
constexpr double kAlike = 1.25;

/// One thread that runs chunks of a job. Tests pass a clock of their own.
template <typename Clock> class BasicParticipant {
public:
  BasicParticipant(Job &job, int range, void *scratch)
      : job(job), ownRange(range), scratch(scratch), now(Clock::now()) {
    setChunk(1 / job.nsPerProgram);
    maxChunk = minChunk; // Until a chunk has been timed.
  }

  /// Claims a chunk and runs it. Returns false if none is left or the other threads will finish the rest sooner.
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
    int64_t elapsed = std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::nanoseconds>(now - before).count());
    ns += elapsed;
    programs += last - first;
    if (nsPerProgram() >= kLongProgramNs)
      job.ranges[ownRange].nsPerProgram.store(nsPerProgram(), std::memory_order_relaxed);
    setChunk(static_cast<double>(last - first) / static_cast<double>(elapsed));
    maxChunk = std::min(maxChunk, (last - first) * 2);
    return true;
  }

  /// Returns the time at which the last chunk ended.
  typename Clock::time_point endOfChunk() const { return now; }
  /// Excludes the time since then from the next chunk.
  typename Clock::time_point resume() { return now = Clock::now(); }

  void recordCost() const {
    if (programs != 0)
      job.work.cost->record(ns, programs);
  }

private:
  Job &job;
  const int ownRange;
  void *const scratch;
  typename Clock::time_point now;
  /// Bounds on the number of programs in the next chunk.
  int64_t minChunk, maxChunk;
  /// Totals of all chunks.
  int64_t ns = 0, programs = 0;

  double nsPerProgram() const { return static_cast<double>(ns) / static_cast<double>(std::max<int64_t>(1, programs)); }

  void setChunk(double programsPerNs) {
    auto programsIn = [&](double ns) {
      double limit = job.work.waits ? 1 : static_cast<double>(job.work.programs);
      return std::max<int64_t>(1, static_cast<int64_t>(std::min(ns * programsPerNs, limit)));
    };
    minChunk = programsIn(kShortestChunkNs);
    maxChunk = programsIn(kLongestChunkNs);
  }

  /// Returns true if the other threads will finish the rest before this thread could run one more program. Their ends
  /// of programs are assumed to be evenly spread. Returns false for the caller, which waits in any case, and unless
  /// most other threads are equally fast: otherwise the programs may differ instead of the threads.
  bool isTooSlow() const {
    double ownCost = nsPerProgram(), fastest = ownCost;
    if (ownRange == 0 || ownCost < kLongProgramNs)
      return false;
    auto cost = [&](int i) { return job.ranges[i].nsPerProgram.load(std::memory_order_relaxed); };
    for (int i = 0; i < job.rangeCount; ++i)
      if (cost(i) != 0)
        fastest = std::min(fastest, cost(i));
    if (ownCost <= fastest * kAlike)
      return false;
    int64_t similar = 0, left = 0;
    for (int i = 0; i < job.rangeCount; ++i) {
      similar += cost(i) != 0 && cost(i) <= fastest * kAlike;
      left += job.ranges[i].left();
    }
    if (similar * 4 < (job.rangeCount - 1) * 3 || left > similar)
      return false;
    return ownCost > fastest * kAlike * (1 + static_cast<double>(left) / static_cast<double>(similar));
  }

  /// Claims the next chunk of the thread's own range, or of the first following range with unclaimed programs.
  bool claim(int64_t &first, int64_t &last) {
    for (int i = 0; i < job.rangeCount; ++i) {
      WorkRange &range = job.ranges[(ownRange + i) % job.rangeCount];
      int64_t left = range.left();
      if (left == 0)
        continue;
      int64_t size = std::min(std::max(left / kChunksLeft, minChunk), maxChunk);
      first = range.next.fetch_add(size, std::memory_order_relaxed);
      last = std::min(first + size, range.end);
      if (first < last)
        return true;
    }
    return false;
  }
};

using Participant = BasicParticipant<Clock>;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_PARTICIPANT_H
