//===- CPUs.cpp - How many CPUs this process may use --------------------------------------------------------------===//

#include "blockdsl/Runtime/ParallelFor.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

using namespace blockdsl::runtime;

namespace {

int cpusInAffinityMask() {
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
    return CPU_COUNT(&mask);
  // More CPUs than the mask holds: fall through to all of them.
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// CPUs' worth of time that a container may use, rounded up; 0 when there is no limit to be found.
int cpusInQuota() {
  long long quota = 0, period = 0;
  if (FILE *file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    if (std::fscanf(file, "%lld %lld", &quota, &period) != 2)
      quota = 0; // "max": no limit.
    std::fclose(file);
  }
  if (quota <= 0 || period <= 0)
    return 0;
  return static_cast<int>((quota + period - 1) / period);
}

} // namespace

int blockdsl::runtime::availableCPUs() {
  int cpus = cpusInAffinityMask();
  if (int quota = cpusInQuota())
    cpus = std::min(cpus, quota);
  return std::max(cpus, 1);
}
