//===- OpenMP.h - Executor on top of an existing OpenMP runtime ---------------------------------------------------===//
//
// A launch is a parallel region of an OpenMP runtime that the process has loaded. Nothing is linked with it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_OPENMP_H
#define BLOCKDSL_LIB_RUNTIME_OPENMP_H

#include "Executor.h"

namespace blockdsl::runtime {

class OpenMP final : public BorrowedExecutor {
public:
  /// Returns the runtime that findOpenMP has found. Null before, and in a child of fork, which has no workers.
  static OpenMP *get();

  bool hasThreads(int threads) const override;
  bool isReady() const override;
  bool isAwakeAfter(Clock::duration sinceLaunch) const override;
  int threadsFor(double ns, int maximum) const override;
  bool run(Job &job, int workers, void *scratch) override;

private:
  friend bool findOpenMP(const char *library);
  class Region;

  void (*parallel)(void (*)(void *), void *, unsigned threads, unsigned flags) = nullptr;
  int (*threadNumber)() = nullptr;
  int (*threadCount)() = nullptr;
  int (*mostThreads)() = nullptr;
  int (*level)() = nullptr;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_OPENMP_H
