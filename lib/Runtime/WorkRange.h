//===- WorkRange.h - Range of programs that belongs to one thread -------------------------------------------------===//
//
// Threads of a launch write to the cache lines of their ranges only.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_WORKRANGE_H
#define BLOCKDSL_LIB_RUNTIME_WORKRANGE_H

#include "ThreadId.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace blockdsl::runtime {

/// Programs that one thread runs first. Launches often access the same memory as the launch before, and the same
/// programs on the same thread find it in their core's cache.
struct alignas(64) WorkRange {
  std::atomic<int64_t> next;
  int64_t end;
  /// Measured time of a program on that thread if programs are long or the range was run in one piece; else 0.
  std::atomic<double> nsPerProgram;
  /// Number of workers that have joined and that have finished, in executors that count them here.
  std::atomic<int> joined, finished;
  /// CPU of the last worker that joined, or -1.
  std::atomic<int> cpu;
  /// The first worker, in its range. Stored here because the worker writes to this cache line anyway.
  std::atomic<ThreadId> firstWorker;

  /// Returns the number of unclaimed programs.
  int64_t left() const { return std::max<int64_t>(0, end - next.load(std::memory_order_relaxed)); }
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_WORKRANGE_H
