//===- ParallelFor.h - Parallel loop over the programs of a kernel ------------------------------------------------===//
//
// Each thread runs a range of the programs, chunk by chunk in increasing order, and then chunks of the other ranges.
// The caller takes part with the first range and then runs the lowest unclaimed programs, so that programs that wait
// for earlier ones end. Launches may be concurrent, can be interrupted between two chunks, and work in children of
// fork.
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

/// Estimated time of a program of a kernel, from earlier launches. Concurrent launches may update it; losing a sample
/// is harmless.
class CostEstimate {
public:
  /// Returns nanoseconds per program, 0 while unknown.
  double get() const { return nsPerProgram.load(std::memory_order_relaxed); }
  /// Adds a measurement.
  void record(int64_t ns, int64_t programs);
  /// Replaces all earlier measurements.
  void assign(double ns) { nsPerProgram.store(static_cast<float>(ns), std::memory_order_relaxed); }

  /// Sizes for launches whose ranges are run in one piece.
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
  /// Largest number of threads, the caller's included.
  int threads;
  CostEstimate *cost;
  LaunchContext *context;
  /// Whether programs may wait for each other. Then they start in the order of their ids, as many at once as needed.
  bool waits;
  /// Called on the caller's thread every few milliseconds. If it returns true, programs that have not started are
  /// dropped.
  bool (*interrupted)(void *);
  void *interruptedArgument;
};

enum class Outcome { Finished, Failed, Interrupted, OutOfMemory };

/// Runs a launch on the caller's thread if it is estimated to take a few microseconds at most. Returns the number of
/// programs that it ran: 0 if the launch is not known to be small, and not all if it turns out to take longer.
int64_t runSmall(const Work &work);

/// Runs the programs from `first` on. Returns when all of them have ended.
Outcome parallelFor(const Work &work, int64_t first);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_PARALLELFOR_H
