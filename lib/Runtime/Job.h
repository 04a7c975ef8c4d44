//===- Job.h - One launch, as the threads share it ----------------------------------------------------------------===//
//
// Each thread has a share of the programs, takes chunks of it in increasing order, and helps with the others' shares
// when it is through with its own.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_JOB_H
#define BLOCKDSL_LIB_RUNTIME_JOB_H

#include "blockdsl/Runtime/ParallelFor.h"

#include <algorithm>
#include <chrono>

namespace blockdsl::runtime {

using Clock = std::chrono::steady_clock;

/// A chunk is at least this long, so that claiming it is no cost ...
constexpr double kShortestChunkNs = 5e3;
/// ... and at most this long, so that Ctrl-C is heard and the threads end together.
constexpr double kLongestChunkNs = 500e3;
/// A caller looks for Ctrl-C this often.
constexpr auto kInterruptInterval = std::chrono::milliseconds(10);

/// More threads than this have shares in common.
constexpr int kMostShares = 64;

/// Programs that one thread starts with. A launch usually touches what the one before it did, and the same programs
/// on the same thread find it in the core's own cache.
struct alignas(64) Share {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

struct Job {
  Job(const Work &work, int64_t first, double nsPerProgram, int threads)
      : work(work), shareCount(std::min(threads, kMostShares)), chunk(programsIn(kShortestChunkNs, nsPerProgram)),
        chunkNs(std::clamp(nsPerProgram * static_cast<double>(work.programs - first) / (threads * 8.0),
                           kShortestChunkNs, kLongestChunkNs)),
        vacancies(threads - 1) {
    for (int i = 0; i < shareCount; ++i) {
      shares[i].next.store(first, std::memory_order_relaxed);
      first += (work.programs - first) / (shareCount - i);
      shares[i].end = first;
    }
  }

  const Work &work;
  const int shareCount;
  /// The caller's is the first.
  Share shares[kMostShares];
  /// Programs a chunk. Starts short, because the cost learned from earlier launches may be wrong for this one.
  std::atomic<int64_t> chunk;
  const double chunkNs;
  /// Workers that may still join. Guarded by the pool's mutex.
  int vacancies;
  /// Workers inside. Grows under the pool's mutex only; whoever makes it smaller touches the job no more.
  std::atomic<int> running{0};
  /// Nothing is left to claim.
  std::atomic<bool> exhausted{false};
  Job *following = nullptr;

  void dropRest() {
    for (int i = 0; i < shareCount; ++i)
      shares[i].next.store(shares[i].end, std::memory_order_relaxed);
    exhausted.store(true, std::memory_order_relaxed);
  }

  /// Takes the next chunk of a thread's own share, or else of the first that follows and has one; false when there is
  /// none.
  bool claim(int own, int64_t &first, int64_t &last) {
    if (work.context->hasFailed() || work.context->isStopped())
      dropRest();
    for (int i = 0; i < shareCount; ++i) {
      Share &share = shares[(own + i) % shareCount];
      if (share.next.load(std::memory_order_relaxed) >= share.end)
        continue;
      int64_t size = chunk.load(std::memory_order_relaxed);
      first = share.next.fetch_add(size, std::memory_order_relaxed);
      last = std::min(first + size, share.end);
      if (first < last)
        return true;
    }
    exhausted.store(true, std::memory_order_relaxed);
    return false;
  }

  /// Runs a chunk and moves the chunk size towards the length that is wanted. Returns when it ended.
  Clock::time_point runChunk(int64_t first, int64_t last, void *scratch, Clock::time_point start) {
    work.function(work.args, first, last, scratch);
    Clock::time_point end = Clock::now();
    if (work.context->isStopped())
      return end; // It tells nothing about the cost.
    int64_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    work.cost->record(ns, last - first);
    int64_t fitting = programsIn(chunkNs, static_cast<double>(std::max<int64_t>(ns, 1)) / (last - first));
    chunk.store(std::min(fitting, (last - first) * 2), std::memory_order_relaxed);
    return end;
  }

  int64_t programsIn(double ns, double nsPerProgram) const {
    return std::max<int64_t>(1, static_cast<int64_t>(std::min(ns / nsPerProgram, double(work.programs))));
  }
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_JOB_H
