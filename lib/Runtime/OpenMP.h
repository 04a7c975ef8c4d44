//===- OpenMP.h - Threads of somebody else's ----------------------------------------------------------------------===//
//
// A launch as a parallel region of an OpenMP runtime that is in the process already. Nothing here is linked with it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_OPENMP_H
#define BLOCKDSL_LIB_RUNTIME_OPENMP_H

#include "Executor.h"

namespace blockdsl::runtime {

class OpenMP final : public Executor {
public:
  /// Null before findOpenMP has found one, and in a child of fork: its workers are the parent's.
  static OpenMP *get();

  /// Whether a region of this thread would have so many threads, each with a stack for kernels.
  bool reaches(int threads) const;
  /// Whether the workers of this thread are awake, each with a CPU. Those that sleep start later than our own, and a
  /// region ends with the last of them.
  bool isReady() const;
  /// The same, where it is known without asking the system.
  bool isKnownToSpin() const;
  int threadsFor(double ns, int most) const override;
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
