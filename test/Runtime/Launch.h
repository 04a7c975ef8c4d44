//===- Launch.h - A launch of a C++ function, for tests -----------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_TEST_RUNTIME_LAUNCH_H
#define BLOCKDSL_TEST_RUNTIME_LAUNCH_H

#include "blockdsl/Runtime/ParallelFor.h"
#include "blockdsl/Runtime/Workers.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <utility>

namespace blockdsl::runtime {

/// A kernel made of a C++ function over one program.
struct Kernel {
  std::function<void(int64_t, void *)> program;

  static void run(void *args, int64_t first, int64_t last, void *scratch) {
    for (int64_t id = first; id < last; ++id)
      static_cast<Kernel *>(args)->program(id, scratch);
  }
};

/// Launches it, on four threads unless told otherwise.
struct Launch {
  explicit Launch(std::function<void(int64_t, void *)> program) : kernel{std::move(program)} {}

  Work work(int64_t programs) {
    return Work{Kernel::run, &kernel, programs, scratchBytes, threads, &cost, &context, waits, interrupted, this};
  }
  Outcome run(int64_t programs) {
    context.stopped = false;
    return parallelFor(work(programs), 0);
  }

  Kernel kernel;
  int threads = 4;
  bool waits = false;
  size_t scratchBytes = 0;
  CostEstimate cost;
  LaunchContext context;
  std::atomic<int> interruptAfter{-1};

  static bool interrupted(void *launch) {
    auto &after = static_cast<Launch *>(launch)->interruptAfter;
    return after >= 0 && after-- == 0;
  }
};

/// Has all launches run on the workers of the OpenMP runtime that the program's argument names, four to a caller, or on
/// our own pool where it has none. False where that cannot be had.
inline bool takeWorkers(int count, char **arguments) {
  if (count < 2)
    return true;
  setenv("OMP_NUM_THREADS", "4", 1);
  chooseWorkers(Workers::OpenMP);
  if (dlopen(arguments[1], RTLD_NOW) && findOpenMP(arguments[1]) && workersOf(4) == Workers::OpenMP)
    return true;
  std::fprintf(stderr, "no launches on the workers of %s\n", arguments[1]);
  return false;
}

inline void spinFor(std::chrono::nanoseconds time) {
  auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_TEST_RUNTIME_LAUNCH_H
