//===- ParallelFor.h - Runs a kernel's programs on all threads ----------------------------------------------------===//
//
// A small thread pool for one kind of loop: the programs of a kernel. Each thread begins with a range of them, chunk by
// chunk in increasing order, and then helps with the others' ranges. The caller takes part; its range is the first, and
// it helps with the lowest that is left, so a program that waits for an earlier one always ends. The pool survives
// fork, stops when asked between two chunks, and serves several callers at once.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_PARALLELFOR_H
#define BLOCKDSL_RUNTIME_PARALLELFOR_H

#include "blockdsl/Runtime/LaunchContext.h"
#include "blockdsl/Runtime/WorkRangeSizes.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace blockdsl::runtime {

/// What one program of a kernel costs, learned from the launches so far. Concurrent launches may update it at the
/// same time; a lost sample does no harm.
class CostEstimate {
public:
  /// Nanoseconds a program, 0 while unknown.
  double get() const { return nsPerProgram.load(std::memory_order_relaxed); }
  /// Takes one measurement into account.
  void record(int64_t ns, int64_t programs);
  /// Forgets the earlier measurements.
  void assign(double ns) { nsPerProgram.store(static_cast<float>(ns), std::memory_order_relaxed); }

  /// Of launches whose threads do not help each other.
  WorkRangeSizes rangeSizes;

private:
  std::atomic<float> nsPerProgram{0};
};

/// One launch.
struct Work {
  KernelFunction function;
  void *args;
  int64_t programs;
  size_t scratchBytes;
  /// Threads that may take part, the caller included.
  int threads;
  CostEstimate *cost;
  LaunchContext *context;
  /// Whether programs may wait for each other: they start in the order of their ids, and as many as have to be at once.
  bool waits;
  /// Called by the caller's thread every few milliseconds; true drops the programs that have not started.
  bool (*interrupted)(void *);
  void *interruptedArgument;
};

enum class Outcome { Finished, Failed, Interrupted, OutOfMemory };

/// Runs a launch that is known to take less than a few microseconds, on the caller's thread alone. Returns how many
/// programs it ran: none when the launch is not known to be small, not all when it turns out not to be.
int64_t runSmall(const Work &work);

/// Runs the programs from `first` on, and returns when none is running any more.
Outcome parallelFor(const Work &work, int64_t first);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_PARALLELFOR_H
